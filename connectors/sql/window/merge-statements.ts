/**
 * SQL that takes the rows of a page (`s`, see `stage-records.ts`) into the tables of a stream,
 * where a record may have a row already (`r`). JavaScript touches no field.
 */
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import {
  SUPERSEDED_ROWS,
  UNFIT_ROWS,
  stagedColumn,
  stagedTable,
} from '../../staged/stage-records.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'

/** What the databases spell otherwise, or do best in another way. */
export interface MergeDialect {
  insert: 'INSERT INTO' | 'INSERT OR FAIL INTO'
  /** Of a page's lines with its records. */
  join: 'JOIN' | 'CROSS JOIN'
  /**
   * Joins to each record of a page its row `r`, looked up by its key: no planner may go through all
   * rows of a store instead, of which it may know nothing yet.
   */
  rowOf(rows: string, id: string): string
  /** The same condition, so that no planner takes it for one that hardly any row meets. */
  unguessed(condition: string): string
  /** Takes the records of a page into rows that are there, where those give way. */
  update(parts: UpdateParts): string
}

/** An update of rows by the page: `s` is a record of it. */
export interface UpdateParts {
  rows: string
  /** Of each column that follows from the record, its quoted name and its value on the page. */
  columns: readonly (readonly [name: string, value: string])[]
  /** Which records they are. */
  page: { from: string; where: string; id: string; cursor: string; raw: string }
  /** The quoted name of the time that says which is newer. */
  cursor: string
  /** Whether a row, called so, gives way to a record of this time, with this JSON. */
  givesWay(row: string, modified: string, raw: string): string
}

export interface MergeStatements {
  /** Records that have no row yet; the page's numbers become row numbers that nobody has. */
  insert: string
  /**
   * The others: newest `modified` wins, and at equal times the later reading. Passed over are rows
   * that are there letter for letter, since windows overlap and lookbacks re-read, and, at equal
   * times, those with the same content in another order of keys: a server that has none would
   * change every row. A row that was gone comes back as it is seen now, unless it was found to be
   * gone after the reading `@since`: then the page is older than that.
   */
  update: string
  lines: readonly LineStatements[]
  /** Rows that were left as they are, and how many of them are newer than the page's. */
  countUntouched: string
  /** Stores what is older than its row, or than the news that it is gone, as versions. */
  keepOlder: string
  /** Stores copies that were superseded within their reading, and differ, as versions. */
  keepSuperseded: string
  /** Takes dead letters of records away that came again and fit this time. */
  resolve: string
  /** Tombstones for the rows `@ids`. */
  markGone: string
  /**
   * Rows whose records came again, unfit, are there as they were last, but for those that were
   * found to be gone after `@since`.
   */
  markThere: string
  /**
   * Rows modified within [@startMs, @endMs) that this batch brought; edits that left `modified` as
   * it was are none.
   */
  arrived: string
}

/** For one list of lines. */
interface LineStatements {
  /** Where all records of the page are new. */
  insertAll: string
  /** Those of rows that this batch has touched, anew. */
  remove: string
  insertTouched: string
}

/** Pieces of SQL that several statements share. */
interface Names {
  rows: string
  /** Of the row: when its record was changed last. */
  cursor: string
  /** The same of the record on the page, its id and its JSON. */
  modified: string
  id: string
  raw: string
  /** The row `s` is one of the page. */
  onPage: string
  /** The row `r` was inserted or updated by this batch. */
  isTouched: string
  dialect: MergeDialect
}

function createNames(stream: Stream, own: CellTable, dialect: MergeDialect): Names {
  const columns = Object.keys(own.columns)
  const staged = (name: string): string => `s.${stagedColumn(columns.indexOf(name))}`
  return {
    rows: rowTable(stream.name),
    cursor: quote(stream.cursor),
    modified: staged(stream.cursor),
    id: staged('id'),
    raw: added(own, 0),
    onPage: dialect.unguessed('s.rowid BETWEEN @first AND @last'),
    isTouched: dialect.unguessed('r.batch = @batch'),
    dialect,
  }
}

/** One set-based statement for each table and page. */
export function mergeStatements(stream: Stream, dialect: MergeDialect): MergeStatements {
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  const names = createNames(stream, own, dialect)
  return {
    insert: `
      ${dialect.insert} ${names.rows} (rid, store_id, batch, first_batch, ${namesOf(own)}, raw)
      SELECT s.rowid + @more, @store, @batch, @batch, ${valuesOf(own)}, ${names.raw}
      FROM ${stagedTable(0)} s WHERE ${names.onPage}
      ON CONFLICT (store_id, id) DO NOTHING`,
    update: dialect.update(updateParts(own, names)),
    lines: lists.map((list, at) => lineStatements(list, at + 1, names)),
    countUntouched: `
      SELECT count(*) AS untouched, count(*) FILTER (WHERE ${isOlder(names)}) AS older
      ${fromUntouched(names)}`,
    keepOlder: `
      ${keep(stream, 'r.id', names.modified, names.raw)}
      ${fromUntouched(names)} AND ${isOlder(names)} AND ${isUnkept(stream, names.raw)}`,
    keepSuperseded: `
      ${keep(stream, 'r.id', 's.modified', 's.raw')}
      FROM ${SUPERSEDED_ROWS} s
      ${dialect.rowOf(names.rows, 's.id')}
      WHERE ${isUnkept(stream, 's.raw')}`,
    resolve: `
      DELETE FROM dead_letters
      WHERE store_id = @store AND stream = @stream
        AND record_key IN (SELECT ${names.id} FROM ${stagedTable(0)} s)`,
    ...markStatements(names),
    arrived: arrived(stream, names),
  }
}

/** Of tombstones. */
const markStatements = ({ rows }: Names): Pick<MergeStatements, 'markGone' | 'markThere'> => ({
  markGone: `
    UPDATE ${rows} SET gone_at = @goneAtMs, batch = @batch
    WHERE store_id = @store AND gone_at IS NULL
      AND id IN (SELECT value FROM json_each(@ids))`,
  markThere: `
    UPDATE ${rows} SET gone_at = NULL, batch = @batch
    WHERE store_id = @store AND gone_at IS NOT NULL AND batch <= @since
      AND id IN (SELECT record_key FROM ${UNFIT_ROWS})`,
})

/** What stands behind the columns of a page's row. */
const added = ({ columns }: CellTable, place: number): string =>
  `s.${stagedColumn(Object.keys(columns).length + place)}`

const namesOf = ({ columns }: CellTable): string => Object.keys(columns).map(quote).join(', ')

const valuesOf = ({ columns }: CellTable): string =>
  Object.keys(columns)
    .map((_, column) => `s.${stagedColumn(column)}`)
    .join(', ')

/** A database may evaluate both sides of an AND, and few texts have to be parsed. */
const isSame = (one: string, other: string): string =>
  `(CASE WHEN ${one} = ${other} THEN TRUE ELSE same_content(${one}, ${other}) END)`

const updateParts = (own: CellTable, names: Names): UpdateParts => ({
  rows: names.rows,
  columns: [
    ...Object.keys(own.columns).map(
      (name, column) => [quote(name), `s.${stagedColumn(column)}`] as const,
    ),
    ['raw', names.raw],
  ],
  page: {
    from: `${stagedTable(0)} s`,
    where: names.onPage,
    id: names.id,
    cursor: names.modified,
    raw: names.raw,
  },
  cursor: names.cursor,
  givesWay: (row, modified, raw) => givesWay(names, row, modified, raw),
})

const givesWay = ({ cursor }: Names, row: string, modified: string, raw: string): string => `CASE
    WHEN ${row}.gone_at IS NOT NULL
      THEN ${row}.batch <= @since OR coalesce(${modified}, 0) > ${row}.gone_at
    WHEN coalesce(${modified}, 0) = coalesce(${row}.${cursor}, 0)
      THEN NOT ${isSame(raw, `${row}.raw`)}
    ELSE coalesce(${modified}, 0) > coalesce(${row}.${cursor}, 0)
  END`

const fromKnown = ({ rows, id, onPage, dialect }: Names): string => `
  FROM ${stagedTable(0)} s ${dialect.rowOf(rows, id)}
  WHERE ${onPage}`

const fromUntouched = (names: Names): string => `${fromKnown(names)} AND r.batch <> @batch`

/** The record on the page is older than its row, or than the row's end. */
const isOlder = ({ modified, cursor }: Names): string =>
  `(coalesce(${modified}, 0) < coalesce(r.${cursor}, 0) OR r.gone_at IS NOT NULL)`

function lineStatements(list: CellTable, at: number, names: Names): LineStatements {
  const table = rowTable(list.name)
  const [record, line] = [added(list, 0), added(list, 1)]
  const insert = (rid: string): string => `
    ${names.dialect.insert} ${table} (rid, line_no, ${namesOf(list)})
    SELECT ${rid}, ${line}, ${valuesOf(list)} FROM ${stagedTable(at)} s`
  const id = names.id.replace(/^s\./, 'p.')
  return {
    insertAll: `${insert(`${record} + @more`)} WHERE ${names.onPage}`,
    remove: `
      DELETE FROM ${table} WHERE rid IN (SELECT r.rid ${fromKnown(names)} AND ${names.isTouched})`,
    insertTouched: `${insert('r.rid')}
      ${names.dialect.join} ${stagedTable(0)} p ON p.rowid = ${record}
      ${names.dialect.rowOf(names.rows, id)}
      WHERE ${names.onPage} AND ${names.isTouched}`,
  }
}

const keep = (stream: Stream, id: string, modified: string, raw: string): string => `
  INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, raw)
  SELECT DISTINCT ${literal(stream.name)}, @store, ${id},
    CAST(@batch AS bigint), CAST(@batch AS bigint), ${modified}, ${raw}`

/**
 * Has each row look its versions up by their key. Of versions that have just been written a planner
 * knows nothing: PostgreSQL would go through all of them for each row.
 */
const BY_KEY = 'LIMIT 1 OFFSET 0'

/** It differs from its row, and from every version of that. */
const isUnkept = (stream: Stream, raw: string): string => `
  NOT ${isSame(raw, 'r.raw')}
  AND NOT EXISTS (
    SELECT 1 FROM versions v
    WHERE v.stream = ${literal(stream.name)} AND v.store_id = @store AND v.id = r.id
      AND v.raw = ${raw}
    ${BY_KEY}
  )`

const arrived = (stream: Stream, { rows, cursor }: Names): string => `
  SELECT count(*) AS records, min(r.${cursor}) AS "oldestMs" FROM ${rows} r
  WHERE r.store_id = @store AND r.${cursor} >= @startMs AND r.${cursor} < @endMs
    AND r.batch = @batch AND r.gone_at IS NULL
    AND NOT EXISTS (
      SELECT 1 FROM versions v
      WHERE v.stream = ${literal(stream.name)} AND v.store_id = @store AND v.id = r.id
        AND v.to_batch = @batch AND (v.modified IS NULL OR v.modified = r.${cursor})
      ${BY_KEY}
    )`
