import type { ClientBase } from 'pg'
import { createRecordExaminer } from '../../answer/examine-records.ts'
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import { quoteName as quote } from '../../quote.ts'
import { rowTable } from '../../sql/row-table.ts'
import { stagedColumn, stagedTable } from '../../staged/staged-tables.ts'
import type { Stream } from '../../stream.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { stageRecords } from '../window/staged-records.ts'

/** Rows `r` with what their own records `s` say, which were staged. */
const fromKept = (stream: Stream): string => `
  FROM ${stagedTable(0)} s
  JOIN ${rowTable(stream.name)} r ON r.store_id = @store AND r.id = s.${idColumn(stream)}`

const idColumn = ({ columns }: Stream): string => stagedColumn(Object.keys(columns).indexOf('id'))

const pairs = ({ columns }: CellTable): (readonly [name: string, staged: string])[] =>
  Object.keys(columns).map((name, at) => [quote(name), stagedColumn(at)])

/** Behind the columns of a line stand the number of its record and its own. */
const placeOf = ({ columns }: CellTable): readonly [record: string, line: string] => {
  const count = Object.keys(columns).length
  return [stagedColumn(count), stagedColumn(count + 1)]
}

/** Stages records that are kept; answers the ids of those that fit their declaration of today. */
async function stageKept(
  client: ClientBase,
  stream: Stream,
  kept: readonly { id: string; raw: string }[],
): Promise<string[]> {
  const examined = createRecordExaminer(stream)(kept.map(({ raw }) => raw))
  await stageRecords(client, stream, [{ ...examined, rows: kept.length, superseded: [] }])
  const unfit = new Set(examined.unfit.map(({ position }) => position))
  return kept.filter((_, position) => !unfit.has(position)).map(({ id }) => id)
}

/** Ids of rows whose columns or lines are not what their own record says. */
export async function inconsistentIds(
  client: ClientBase,
  stream: Stream,
  store: string,
  kept: readonly { id: string; raw: string }[],
): Promise<Set<string>> {
  const fit = await stageKept(client, stream, kept)
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  const differences = [
    ...pairs(own).map(([name, staged]) => `r.${name} IS DISTINCT FROM s.${staged}`),
    ...lists.map((list, at) => linesDiffer(list, at + 1)),
  ]
  const consistent = await statementsOn(client).all<{ id: string }>(
    `SELECT r.id ${fromKept(stream)} WHERE NOT (${differences.join(' OR ')})`,
    { store },
  )
  const known = new Set(consistent.map(({ id }) => id))
  return new Set(fit.filter(id => !known.has(id)))
}

function linesDiffer(list: CellTable, at: number): string {
  const [record, line] = placeOf(list)
  const values = pairs(list).map(([name, staged]) => `k.${name} IS DISTINCT FROM l.${staged}`)
  return `EXISTS (
    SELECT 1 FROM (SELECT * FROM ${rowTable(list.name)} WHERE rid = r.rid) k
    FULL JOIN (SELECT * FROM ${stagedTable(at)} WHERE ${record} = s.rowid) l
      ON k.line_no = l.${line}
    WHERE ${['k.rid IS NULL', 'l.rowid IS NULL', ...values].join(' OR ')}
  )`
}

/** Columns and lines anew out of the kept records. */
export async function rewriteFromKept(
  client: ClientBase,
  stream: Stream,
  store: string,
  kept: readonly { id: string; raw: string }[],
): Promise<void> {
  await stageKept(client, stream, kept)
  const sql = statementsOn(client)
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  const rows = rowTable(stream.name)
  const columns = pairs(own).map(([name, staged]) => `${name} = s.${staged}`)
  await sql.run(
    `UPDATE ${rows} SET ${columns.join(', ')} FROM ${stagedTable(0)} s
     WHERE ${rows}.store_id = @store AND ${rows}.id = s.${idColumn(stream)}`,
    { store },
  )
  for (const [at, list] of lists.entries()) {
    const [record, line] = placeOf(list)
    const names = pairs(list).map(([name]) => name)
    const values = pairs(list).map(([, staged]) => `l.${staged}`)
    const table = rowTable(list.name)
    await sql.run(`DELETE FROM ${table} WHERE rid IN (SELECT r.rid ${fromKept(stream)})`, { store })
    await sql.run(
      `INSERT INTO ${table} (${['rid', 'line_no', ...names].join(', ')})
       SELECT ${['r.rid', `l.${line}`, ...values].join(', ')} ${fromKept(stream)}
       JOIN ${stagedTable(at + 1)} l ON l.${record} = s.rowid`,
      { store },
    )
  }
}
