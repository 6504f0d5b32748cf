import type { ClientBase } from 'pg'
import { createRecordExaminer } from '../../answer/judge-records.ts'
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import { quoteName as quote } from '../../quote.ts'
import type { KeptRow } from '../../sql/upkeep/upkeep-dialect.ts'
import { stagedColumn, stagedTable } from '../../staged/stage-records.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { dropStaged, stageRecords } from '../window/staged-records.ts'
import { fittingRecord } from './fitting-record.ts'

/** Rows `r` with what their own records `s` say, which were staged in the order of `@rids`. */
const fromKept = (stream: Stream): string => `
  FROM ${stagedTable(0)} s
  JOIN unnest(CAST(@rids AS bigint[])) WITH ORDINALITY AS kept(rid, number)
    ON kept.number = s.rowid
  JOIN ${rowTable(stream.name)} r ON r.rid = kept.rid`

const pairs = ({ columns }: CellTable): (readonly [name: string, staged: string])[] =>
  Object.keys(columns).map((name, at) => [quote(name), stagedColumn(at)])

/** Behind the columns of a line stand the number of its record and its own. */
const placeOf = ({ columns }: CellTable): readonly [record: string, line: string] => {
  const count = Object.keys(columns).length
  return [stagedColumn(count), stagedColumn(count + 1)]
}

/** Stages records that are kept. Values that do not fit their declaration of today are none. */
async function stageKept(
  client: ClientBase,
  stream: Stream,
  kept: readonly KeptRow[],
): Promise<{ rids: number[] }> {
  const examine = createRecordExaminer(stream)
  const raws = kept.map(({ raw }) => raw)
  const asKept = examine(raws)
  for (const { position } of asKept.unfit) raws[position] = fittingRecord(stream, raws[position]!)
  const examined = asKept.unfit.length === 0 ? asKept : examine(raws)
  await stageRecords(client, stream, [{ ...examined, rows: kept.length, superseded: [] }])
  return { rids: kept.map(({ rid }) => rid) }
}

/** Numbers of rows whose columns or lines are not what their own record says. */
export async function inconsistentRows(
  client: ClientBase,
  stream: Stream,
  kept: readonly KeptRow[],
): Promise<Set<number>> {
  const staged = await stageKept(client, stream, kept)
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  const different = new Set<number>()
  for (const sql of [
    columnsDiffer(stream, own),
    ...lists.map((list, at) => linesDiffer(list, at + 1)),
  ])
    for (const { rid } of await statementsOn(client).all<{ rid: number }>(sql, staged))
      different.add(rid)
  await dropStaged(client, stream)
  return different
}

const columnsDiffer = (stream: Stream, own: CellTable): string =>
  `SELECT r.rid ${fromKept(stream)} WHERE ${pairs(own)
    .map(([name, value]) => `r.${name} IS DISTINCT FROM s.${value}`)
    .join(' OR ')}`

function linesDiffer(list: CellTable, at: number): string {
  const [record, line] = placeOf(list)
  const values = pairs(list).map(([name, staged]) => `k.${name} IS DISTINCT FROM l.${staged}`)
  return `
    SELECT DISTINCT coalesce(k.rid, l.rid) AS rid
    FROM (SELECT * FROM ${rowTable(list.name)} WHERE rid = ANY (CAST(@rids AS bigint[]))) k
    FULL JOIN (
      SELECT kept.rid, staged.* FROM ${stagedTable(at)} staged
      JOIN unnest(CAST(@rids AS bigint[])) WITH ORDINALITY AS kept(rid, number)
        ON kept.number = staged.${record}
    ) l ON k.rid = l.rid AND k.line_no = l.${line}
    WHERE ${['k.rid IS NULL', 'l.rid IS NULL', ...values].join(' OR ')}`
}

/** Columns of the stream's own table, and lists of lines, by name. */
export interface PartsOfRows {
  columns: readonly string[]
  lists: readonly string[]
}

/** Columns and lines anew out of the kept records, all or some; the keys of the rows stay. */
export async function rewriteFromKept(
  client: ClientBase,
  stream: Stream,
  kept: readonly KeptRow[],
  parts: PartsOfRows = {
    columns: Object.keys(stream.columns),
    lists: Object.keys(stream.children),
  },
): Promise<void> {
  const staged = await stageKept(client, stream, kept)
  const sql = statementsOn(client)
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  await sql.run(rewriteColumns(stream, own, parts.columns), staged)
  for (const [at, list] of lists.entries())
    if (parts.lists.includes(list.name))
      for (const statement of rewriteLines(stream, list, at + 1)) await sql.run(statement, staged)
  await dropStaged(client, stream)
}

/** An update sets a column at least: the number of a row is what it was. */
function rewriteColumns(stream: Stream, own: CellTable, names: readonly string[]): string {
  const values = pairs(own)
    .filter(([name]) => name !== quote('id') && names.some(wanted => quote(wanted) === name))
    .map(([name, staged]) => `${name} = kept.${staged}`)
  const columns = pairs(own).map(([, staged]) => `s.${staged}`)
  return `
    UPDATE ${rowTable(stream.name)} AS row SET ${['rid = kept.rid', ...values].join(', ')}
    FROM (SELECT r.rid, ${columns.join(', ')} ${fromKept(stream)}) AS kept
    WHERE row.rid = kept.rid`
}

function rewriteLines(stream: Stream, list: CellTable, at: number): string[] {
  const [record, line] = placeOf(list)
  const names = pairs(list).map(([name]) => name)
  const values = pairs(list).map(([, staged]) => `l.${staged}`)
  const table = rowTable(list.name)
  return [
    `DELETE FROM ${table} WHERE rid = ANY (CAST(@rids AS bigint[]))`,
    `INSERT INTO ${table} (${['rid', 'line_no', ...names].join(', ')})
     SELECT ${['r.rid', `l.${line}`, ...values].join(', ')} ${fromKept(stream)}
     JOIN ${stagedTable(at)} l ON l.${record} = s.rowid`,
  ]
}
