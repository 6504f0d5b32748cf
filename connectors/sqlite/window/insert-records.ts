/**
 * New records, a page at once, out of the rows that `staged-rows.ts` has made of them. What is not
 * plainly new, or there already letter for letter, is left to the merge.
 */
import type Database from 'better-sqlite3'
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import type { Stream } from '../../stream.ts'
import { quote, rowTable } from '../connection/sql-text.ts'
import type { Batch } from './readings.ts'
import { stagedColumn, stagedTable } from './rows-file.ts'
import type { RowsOfPage } from './staged-rows.ts'

export interface InsertedRecords {
  inserted: number
  unchanged: number
  /** Positions of those that are neither. */
  left: readonly number[]
}

/**
 * Call inside a transaction or a savepoint, which is to be given up where this fails: some rows may
 * be in the tables then. (`OR FAIL`: SQLite keeps no copy of what a statement changes.)
 */
export type RecordInserter = (rows: RowsOfPage, batch: Batch) => InsertedRecords

/** Numbers of rows from one to another, and what their `rid` is more than their number. */
interface Rows {
  first: number
  last: number
  more: number
}

export function createRecordInserter(database: Database.Database, stream: Stream): RecordInserter {
  const [own, ...lists] = cellTables(stream)
  const largest = database
    .prepare<[], number>(`SELECT coalesce(max(rid), 0) FROM ${rowTable(stream.name)}`)
    .pluck()
  const insert = database.prepare<[Rows & Batch]>(insertRecords(own!))
  const lines = lists.map((table, at) => ({
    ofAll: database.prepare<[Rows]>(insertLines(table, at + 1)),
    ofNew: database.prepare<[Rows]>(`${insertLines(table, at + 1)} AND ${isNew(own!, table)}`),
  }))
  const known = database.prepare<[Rows & Batch], KnownRecord>(knownRecords(stream, own!))
  return (rows, batch) => {
    const more = largest.get()! - rows.first + 1
    const records = { first: rows.first, last: rows.last, more, ...batch }
    const inserted = insert.run(records).changes
    const areAllNew = inserted === rows.records
    for (const [at, { ofAll, ofNew }] of lines.entries())
      if (inserted > 0) (areAllNew ? ofAll : ofNew).run({ ...rows.lines[at]!, more })
    if (areAllNew) return { inserted, unchanged: 0, left: rows.left }
    const others = known.all(records)
    const changed = others.filter(({ isSame }) => isSame === 0).map(({ position }) => position)
    const unchanged = others.length - changed.length
    return { inserted, unchanged, left: [...rows.left, ...changed] }
  }
}

/** Columns of a table, and of the staged one the same in their order. */
const namesOf = ({ columns }: CellTable): string => Object.keys(columns).map(quote).join(', ')

const stagedNames = ({ columns }: CellTable): string =>
  Object.keys(columns)
    .map((_, column) => `s.${stagedColumn(column)}`)
    .join(', ')

/** What stands behind the columns: of a record its JSON, of a line its record and its number. */
const added = ({ columns }: CellTable, place: number): string =>
  `s.${stagedColumn(Object.keys(columns).length + place)}`

const insertRecords = (own: CellTable): string => `
  INSERT OR FAIL INTO ${rowTable(own.name)} (rid, store_id, batch, first_batch, ${namesOf(own)}, raw)
  SELECT s.rowid + @more, @store, @batch, @batch, ${stagedNames(own)}, ${added(own, 0)}
  FROM ${stagedTable(0)} s WHERE s.rowid BETWEEN @first AND @last
  ON CONFLICT (store_id, id) DO NOTHING`

const insertLines = (table: CellTable, at: number): string => `
  INSERT OR FAIL INTO ${rowTable(table.name)} (rid, line_no, ${namesOf(table)})
  SELECT ${added(table, 0)} + @more, ${added(table, 1)}, ${stagedNames(table)}
  FROM ${stagedTable(at)} s WHERE s.rowid BETWEEN @first AND @last`

/** The record of a line has just been inserted. */
const isNew = (own: CellTable, table: CellTable): string =>
  `EXISTS (SELECT 1 FROM ${rowTable(own.name)} WHERE rid = ${added(table, 0)} + @more)`

interface KnownRecord {
  position: number
  isSame: 0 | 1
}

/** Records that were not inserted, and whether they are there letter for letter. */
function knownRecords(stream: Stream, own: CellTable): string {
  const names = Object.keys(own.columns)
  const [id, cursor] = ['id', stream.cursor].map(name => `s.${stagedColumn(names.indexOf(name))}`)
  return `
    SELECT s.rowid - @first AS position,
      r.raw = ${added(own, 0)} AND r.gone_at IS NULL AND r.${quote(stream.cursor)} IS ${cursor}
        AS isSame
    FROM ${stagedTable(0)} s
    CROSS JOIN ${rowTable(own.name)} r ON r.store_id = @store AND r.id = ${id}
    WHERE s.rowid BETWEEN @first AND @last AND r.rid <> s.rowid + @more`
}
