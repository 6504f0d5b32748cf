/**
 * New records, value by value: the reader has noted where each value stands in the text of the
 * answer, so nothing is looked for a second time. That takes half as long as to let SQLite find the
 * columns in JSONB. What is not plainly new, or there already letter for letter, is left to the
 * merge.
 */
import type Database from 'better-sqlite3'
import { cellTables, ROW_HEAD } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import type { AnswerText } from '../../record.ts'
import type { ColumnKind, Stream } from '../../stream.ts'
import { quote, rowTable } from '../connection/sql-text.ts'
import { recordsIn } from './cell-values.ts'
import type { Bound, RecordCells } from './cell-values.ts'
import type { Batch } from './readings.ts'

/** Records that fit their declaration and have no key twice. */
export interface TextToInsert {
  text: AnswerText
  /** Positions that are to be passed over. */
  skip: readonly number[]
}

export interface InsertedRecords {
  inserted: number
  unchanged: number
  /** Positions of those that are neither. */
  left: number[]
}

/** Call inside a transaction: it fails as a whole where the tables refuse a record. */
export type RecordInserter = (page: TextToInsert, batch: Batch) => InsertedRecords

/**
 * For records that have values in no other columns than `filled`; those of lines are named
 * `transaction_items.quantity`.
 */
export function createRecordInserter(
  database: Database.Database,
  stream: Stream,
  filled: ReadonlySet<string>,
): RecordInserter {
  const tables = cellTables(stream)
  const place = createPlacing(database, stream, tables, filled)
  return ({ text, skip }, batch) => {
    const found: InsertedRecords = { inserted: 0, unchanged: 0, left: [] }
    const skipped = new Set(skip)
    for (const record of recordsIn(text, tables)) {
      if (skipped.has(record.position)) continue
      const placed = place(record, batch)
      if (placed === 'left') found.left.push(record.position)
      else found[placed]++
    }
    return found
  }
}

/** What becomes of one record. */
type Placing = (record: RecordCells, batch: Batch) => 'inserted' | 'unchanged' | 'left'

/**
 * New records come in rows of many, and so do known ones: as the record before it turned out, one
 * is inserted without looking whether it is there, or looked for first.
 */
function createPlacing(
  database: Database.Database,
  stream: Stream,
  tables: readonly CellTable[],
  filled: ReadonlySet<string>,
): Placing {
  const isSame = createComparison(database, stream, tables[0]!)
  const insert = createInsert(database, tables, filled)
  let seemsNew = true
  return (record, batch) => {
    const tried = seemsNew
    if (tried && insert(record, batch)) return 'inserted'
    const same = isSame(record, batch.store)
    seemsNew = same === undefined
    if (same === true) return 'unchanged'
    return same === undefined && !tried && insert(record, batch) ? 'inserted' : 'left'
  }
}

/** Whether a record is there already, letter for letter; undefined: it is not there at all. */
function createComparison(
  database: Database.Database,
  stream: Stream,
  own: CellTable,
): (record: RecordCells, store: string) => boolean | undefined {
  const id = columnAt(own, 'id')
  const cursor = columnAt(own, stream.cursor)
  const compare = database
    .prepare<Bound[], number | null>(
      `SELECT raw = CAST(? AS TEXT) AND gone_at IS NULL AND ${quote(stream.cursor)} IS ?
       FROM ${rowTable(stream.name)} WHERE store_id = ? AND id = CAST(? AS TEXT)`,
    )
    .pluck()
  return (record, store) => {
    const key = record.valueOf('text', id + record.at)
    const modified = record.valueOf('timestamp', cursor + record.at)
    // What has no plain key may be there under the one that SQLite reads.
    if (key === undefined || key === null || modified === undefined) return false
    const same = compare.get(record.json, modified, store, key)
    return same === undefined ? undefined : same === 1
  }
}

/**
 * Inserts a record with its lines; false where its key is there already, or where a value is none
 * that can be bound as it stands.
 */
type InsertWhole = (record: RecordCells, batch: Batch) => boolean

function createInsert(
  database: Database.Database,
  [own, ...ofLines]: readonly CellTable[],
  filled: ReadonlySet<string>,
): InsertWhole {
  const id = columnAt(own!, 'id')
  const records = createRowInserter(database, own!, filled, RECORD_HEAD)
  const lists = ofLines.map(table => createRowInserter(database, table, filled, LINE_HEAD))
  return (record, { store, batch }) => {
    if (record.valueOf('text', id + record.at) === null) return false
    const row = records.valuesOf(record, record.at, [record.json, store, batch, batch])
    const lines = lists.map(({ valuesOf }, table) =>
      record.lines[table]!.map((at, line) => valuesOf(record, at, [0, line + 1])),
    )
    if (row === undefined || lines.some(rows => rows.includes(undefined))) return false
    const rid = records.run(row)
    if (rid === undefined) return false
    for (const [table, rows] of lines.entries())
      for (const line of rows) {
        line![0] = rid
        lists[table]!.run(line!)
      }
    return true
  }
}

/** Where a column's cell stands in a row. */
const columnAt = ({ columns }: CellTable, name: string): number =>
  ROW_HEAD + 2 * Object.keys(columns).indexOf(name)

/** What stands in front of the columns of a row, as SQL. */
const RECORD_HEAD = { raw: 'CAST(? AS TEXT)', store_id: '?', batch: '?', first_batch: '?' }
const LINE_HEAD = { rid: '?', line_no: '?' }

interface RowInserter {
  /** What stands in front, and then the values of the row at `at`; undefined: not by this way. */
  valuesOf(record: RecordCells, at: number, head: Bound[]): Bound[] | undefined
  /** Answers the key of the row; undefined where its record is there already. */
  run(values: Bound[]): number | undefined
}

/** Inserts rows of one table that have values in these columns alone. */
function createRowInserter(
  database: Database.Database,
  table: CellTable,
  filled: ReadonlySet<string>,
  head: Readonly<Record<string, string>>,
): RowInserter {
  const isOwn = head === RECORD_HEAD
  const columns = Object.entries(table.columns).flatMap(([name, { kind }]) =>
    filled.has(isOwn ? name : `${table.name}.${name}`)
      ? [{ name, kind, at: columnAt(table, name) }]
      : [],
  )
  const names = [...Object.keys(head), ...columns.map(({ name }) => quote(name))]
  const values = [...Object.values(head), ...columns.map(({ kind }) => parameterOf(kind))]
  const statement = database.prepare<Bound[]>(
    `INSERT INTO ${rowTable(table.name)} (${names.join(', ')}) VALUES (${values.join(', ')})
     ${isOwn ? 'ON CONFLICT (store_id, id) DO NOTHING' : ''}`,
  )
  return {
    valuesOf(record, at, row) {
      for (const column of columns) {
        const value = record.valueOf(column.kind, at + column.at)
        if (value === undefined) return undefined
        row.push(value)
      }
      return row
    },
    run(row) {
      // A list of values takes a seventh longer than values by themselves.
      const { changes, lastInsertRowid } = statement.run(...row)
      return changes === 0 ? undefined : (lastInsertRowid as number)
    },
  }
}

/** Texts may come as their bytes. */
const parameterOf = (kind: ColumnKind): string =>
  kind === 'text' || kind === 'json' ? 'CAST(? AS TEXT)' : '?'
