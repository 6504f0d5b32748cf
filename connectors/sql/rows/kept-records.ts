/**
 * What the records that are kept say of their rows: they are staged as those of a window are, each
 * under the number of its row, and columns and lines compared with that or made anew from it.
 */
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import { quoteName as quote } from '../../quote.ts'
import { pageOfKept } from '../../staged/page-of-kept.ts'
import type { KeptRow } from '../../staged/page-of-kept.ts'
import { stagedColumn, stagedTable } from '../../staged/stage-records.ts'
import type { PageOfRecords } from '../../staged/stage-records.ts'
import { rowTable } from '../../stream-sql.ts'
import { columnName } from '../../stream.ts'
import type { Stream } from '../../stream.ts'
import type { InconsistentRows } from '../by-hand.ts'
import { all, run } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** How a database stages records inside a transaction, under the names of `stage-records.ts`. */
export interface RecordStaging {
  /** So many records are in memory at a time. */
  rowsAtOnce: number
  /** A key as its column holds it. */
  asHeld(key: string): string
  stage(stream: Stream, page: PageOfRecords): Steps<void>
  /** For other records in the same transaction. */
  drop(stream: Stream): Steps<void>
}

/** A row, and whose it is. */
export interface RowOfStore extends KeptRow {
  store: string
  id: string
}

/** Which rows of a stream, in SQL. */
export interface ChosenRows {
  where: string
  parameters: object
}

/** Rows of a stream in the order of their numbers, some at a time. */
export function* eachKept(
  { rowsAtOnce }: RecordStaging,
  { name }: Stream,
  visit: (rows: readonly RowOfStore[]) => Steps<void>,
  { where, parameters }: ChosenRows = { where: 'TRUE', parameters: {} },
): Steps<void> {
  const sql = `SELECT rid, store_id AS store, id, raw FROM ${rowTable(name)}
    WHERE rid > @after AND (${where}) ORDER BY rid LIMIT ${rowsAtOnce}`
  let rows: RowOfStore[] = []
  do {
    rows = yield* all<RowOfStore>(sql, { ...parameters, after: rows.at(-1)?.rid ?? 0 })
    if (rows.length > 0) yield* visit(rows)
  } while (rows.length === rowsAtOnce)
}

/** Numbers of rows. */
export interface WrongRows {
  /** Their columns or lines are not what their own record says. */
  inconsistent: ReadonlySet<number>
  /** Nobody can read their record. */
  unreadable: ReadonlySet<number>
}

export function* wrongRows(
  staging: RecordStaging,
  stream: Stream,
  kept: readonly KeptRow[],
): Steps<WrongRows> {
  const { page, unreadable } = pageOfKept(stream, kept)
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  const inconsistent = new Set<number>()
  yield* staging.stage(stream, page)
  for (const sql of [columnsDiffer(own), ...lists.map((list, at) => linesDiffer(list, at + 1))])
    for (const { rid } of yield* all<{ rid: number }>(sql)) inconsistent.add(rid)
  yield* staging.drop(stream)
  return { inconsistent, unreadable }
}

/** All rows of a stream that are not what their own record says, or whose record is none. */
export function* inconsistentRows(
  staging: RecordStaging,
  stream: Stream,
): Steps<InconsistentRows[]> {
  const found: Pick<RowOfStore, 'store' | 'id'>[] = []
  yield* eachKept(staging, stream, function* (rows) {
    const { inconsistent, unreadable } = yield* wrongRows(staging, stream, rows)
    for (const { rid, store, id } of rows)
      if (inconsistent.has(rid) || unreadable.has(rid)) found.push({ store, id })
  })
  return [...Map.groupBy(found, ({ store }) => store)].map(([store, own]) => ({
    store,
    stream: stream.name,
    ids: own.map(({ id }) => id),
  }))
}

/** Columns of the stream's own table, and lists of lines, by name. */
export interface PartsOfRows {
  columns: readonly string[]
  lists: readonly string[]
}

/** Columns and lines anew out of the kept records, all or some; the keys of the rows stay. */
export function* rewriteFromKept(
  staging: RecordStaging,
  whole: Stream,
  kept: readonly KeptRow[],
  parts: PartsOfRows = {
    columns: Object.keys(whole.columns),
    lists: Object.keys(whole.children),
  },
): Steps<void> {
  const stream = partOf(whole, parts)
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  yield* staging.stage(stream, pageOfKept(stream, kept).page)
  const columns = parts.columns.filter(name => name !== 'id')
  if (columns.length > 0) yield* run(rewriteColumns(own, columns))
  for (const [at, list] of lists.entries())
    for (const statement of rewriteLines(list, at + 1)) yield* run(statement)
  yield* staging.drop(stream)
}

/** The declaration of some of its columns and lists: what is not asked for costs nothing. */
function partOf(stream: Stream, { columns, lists }: PartsOfRows): Stream {
  const ofKey = stream.key?.map(columnName) ?? []
  const names = new Set(['id', stream.cursor, ...ofKey, ...columns])
  const only = <Value>(of: Readonly<Record<string, Value>>, wanted: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => wanted.has(name)))
  return {
    ...stream,
    columns: only(stream.columns, names),
    children: only(stream.children, new Set(lists)),
  }
}

/** The same for all rows of a stream. */
export const fillFromKept = (
  staging: RecordStaging,
  stream: Stream,
  parts: PartsOfRows,
): Steps<void> => eachKept(staging, stream, rows => rewriteFromKept(staging, stream, rows, parts))

/**
 * Gives rows other records, with the columns and lines that these have; their keys stay. The texts
 * go beside the staged ones, which leave out what does not fit; all at once, since PostgreSQL may
 * be far away.
 */
export function* replaceKept(
  staging: RecordStaging,
  stream: Stream,
  kept: readonly KeptRow[],
): Steps<void> {
  const values = kept.map((_, at) => `(CAST(@rid${at} AS bigint), CAST(@raw${at} AS text))`)
  const given = kept.flatMap(({ rid, raw }, at) => [
    [`rid${at}`, rid],
    [`raw${at}`, raw],
  ])
  yield* run(
    `UPDATE ${rowTable(stream.name)} AS r SET raw = v.column2
     FROM (VALUES ${values.join(', ')}) v WHERE r.rid = v.column1`,
    Object.fromEntries(given),
  )
  yield* rewriteFromKept(staging, stream, kept)
}

const STAGED = stagedTable(0)

/** With the plus sign no planner takes the number of a staged row for a key to look it up by. */
const OWN_ROW = 'r.rid = +s.rowid'

const pairs = ({ columns }: CellTable): (readonly [name: string, staged: string])[] =>
  Object.keys(columns).map((name, at) => [name, stagedColumn(at)])

/** Behind the columns of a line stand the number of its record and its own. */
const placeOf = ({ columns }: CellTable): readonly [record: string, line: string] => {
  const count = Object.keys(columns).length
  return [stagedColumn(count), stagedColumn(count + 1)]
}

const columnsDiffer = (own: CellTable): string =>
  `SELECT r.rid FROM ${STAGED} s JOIN ${rowTable(own.name)} r ON ${OWN_ROW}
   WHERE ${pairs(own)
     .map(([name, staged]) => `r.${quote(name)} IS DISTINCT FROM s.${staged}`)
     .join(' OR ')}`

/** Lines that are other ones or missing, and such as no record has. */
function linesDiffer(list: CellTable, at: number): string {
  const [record, line] = placeOf(list)
  const table = rowTable(list.name)
  const differs = pairs(list).map(
    ([name, staged]) => `k.${quote(name)} IS DISTINCT FROM l.${staged}`,
  )
  return `
    SELECT l.${record} AS rid FROM ${stagedTable(at)} l
    LEFT JOIN ${table} k ON k.rid = l.${record} AND k.line_no = l.${line}
    WHERE ${['k.rid IS NULL', ...differs].join(' OR ')}
    UNION
    SELECT rid FROM ${table} WHERE rid IN (SELECT rowid FROM ${STAGED})
      AND (rid, line_no) NOT IN (SELECT ${record}, ${line} FROM ${stagedTable(at)})`
}

const rewriteColumns = (own: CellTable, names: readonly string[]): string =>
  `UPDATE ${rowTable(own.name)} AS r SET ${pairs(own)
    .filter(([name]) => names.includes(name))
    .map(([name, staged]) => `${quote(name)} = s.${staged}`)
    .join(', ')}
   FROM ${STAGED} s WHERE ${OWN_ROW}`

function rewriteLines(list: CellTable, at: number): string[] {
  const [record, line] = placeOf(list)
  const names = pairs(list).map(([name]) => quote(name))
  const values = pairs(list).map(([, staged]) => staged)
  const table = rowTable(list.name)
  return [
    `DELETE FROM ${table} WHERE rid IN (SELECT rowid FROM ${STAGED})`,
    `INSERT INTO ${table} (${['rid', 'line_no', ...names].join(', ')})
     SELECT ${[record, line, ...values].join(', ')} FROM ${stagedTable(at)}`,
  ]
}
