import Database from 'better-sqlite3'
import { DatabaseError } from '../../../errors.ts'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import type {
  BooksToFill,
  QuestionTables,
  Selection,
  Snapshot,
  StoredCell,
  StoredColumn,
  StoredTable,
} from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { inBatches } from './batches.ts'
import { bookedRecords, lookUp, missingSince, statesOf } from './booked-records.ts'
import { brokenSql, cellSql, textSql } from './cells.ts'
import { attachScratch, openBooks } from './snapshot-books.ts'

const ROWS_AT_ONCE = 1024

/**
 * Opens the database read-only and holds one read transaction until it is closed (WAL: writers go
 * on meanwhile).
 */
export function openSnapshot(path: string, selection: Selection, books?: BooksToFill): Snapshot {
  const database = open(path, books)
  const { store, startMs: start, endMs: end } = selection
  const iterate = (table: StoredTable, cells: readonly string[]): Database.Statement =>
    database
      .prepare(`SELECT ${cells.join(', ')} ${sourceOf(table)} ORDER BY ${orderOf(table)}`)
      .bind(isWhole(table) ? { store } : { store, start, end })
  const broken = (table: StoredTable, column: StoredColumn): Error => brokenCell(table, column)
  const filled = books && openBooks(database, books, store)
  return {
    batch: async () =>
      database.prepare('SELECT coalesce(max(batch), 0) FROM readings').pluck().get() as number,
    async *rows(table, columns) {
      const isBroken = anyOf(columns)
      const rows = iterate(table, [...columns.map(cellSql), isBroken])
        .raw()
        .iterate() as IterableIterator<StoredCell[]>
      for (const batch of inBatches(rows, ROWS_AT_ONCE)) {
        if (batch.some(row => row.pop() !== 0))
          throw broken(table, brokenColumn(iterate, table, columns))
        yield batch
      }
    },
    async *jsonRows(table) {
      const cells = table.columns.map(({ name }) => `r.${quoteName(name)}`)
      const json = iterate(table, [`json_array(${cells.join(', ')})`])
      yield* inBatches(json.pluck().iterate() as IterableIterator<string>, ROWS_AT_ONCE)
    },
    broken,
    booked: (stream, range) => bookedRecords(database, stream, { store, ...range }),
    states: async (list, id) => statesOf(database, store, list, id),
    lookUp: (list, column) => lookUp(database, store, { view: list, column }),
    missingSince: list => missingSince(database, store, list),
    books: filled,
    async close() {
      filled?.close()
      database.close()
    },
  }
}

/** The same for questions in SQL. */
export function openQuestionTables(path: string): QuestionTables {
  const database = open(path, undefined)
  return {
    views: () =>
      database
        .prepare(`SELECT name FROM sqlite_schema WHERE type = 'view'`)
        .pluck()
        .all() as string[],
    texts(view, columns, only) {
      const where = only === undefined ? '' : 'WHERE r.store_id = ?'
      const cells = columns.map(textSql).join(', ') || 'NULL'
      return database
        .prepare(`SELECT ${cells} FROM ${quoteName(view)} r ${where}`)
        .raw()
        .iterate(...(only === undefined ? [] : [only])) as IterableIterator<(string | null)[]>
    },
    close: () => void database.close(),
  }
}

function open(path: string, books: BooksToFill | undefined): Database.Database {
  try {
    const options = { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }
    const database = new Database(path, options)
    // Before the transaction begins, since SQLite attaches nothing later.
    if (books !== undefined) attachScratch(database, books)
    database.exec('BEGIN')
    // BEGIN alone takes no snapshot, the first read does.
    database.prepare('SELECT count(*) FROM main.sqlite_schema').get()
    return database
  } catch (error) {
    throw new DatabaseError(
      'DATABASE_BROKEN',
      `the database ${path} cannot be read: ` +
        (error instanceof Error ? error.message : 'unknown reason'),
      {
        remedy: 'check the path in tillage.yaml; a sync creates the database',
        cause: error,
      },
    )
  }
}

const isWhole = ({ windowing, relation }: StoredTable): boolean =>
  windowing === 'full-refresh' || relation !== undefined

/**
 * Children follow their parent: an item belongs to the range in which its transaction was modified.
 * A record without the cursor must not fall out of every export: another of its times stands in. As
 * two searches, each uses the cursor's index. Tombstones are in no file: a record that is gone
 * makes the next revision (INV-5).
 */
function sourceOf(table: StoredTable): string {
  if (table.relation !== undefined)
    return `FROM ${quoteName(table.relation)} AS r WHERE r.store_id = @store`
  const within = (time: string): string => `${time} >= @start AND ${time} < @end`
  const cursor = quoteName(table.cursor)
  const otherTime = `coalesce(${['NULL', ...table.otherTimes.map(quoteName), 'NULL'].join(', ')})`
  const { view = table.name, key = 'id' } = table.parent ?? {}
  const pick = `SELECT id FROM ${quoteName(view)} WHERE store_id = @store AND deleted_at IS NULL`
  const picked = isWhole(table)
    ? pick
    : `${pick} AND ${within(cursor)}
       UNION ALL
       ${pick} AND ${cursor} IS NULL AND ${within(otherTime)}`
  return `FROM ${quoteName(table.name)} AS r
          WHERE r.store_id = @store AND r.${quoteName(key)} IN (${picked})`
}

/**
 * Rows of books are numbered in their order already; a list inside a record follows by its own
 * number.
 */
function orderOf({ relation, order }: StoredTable): string {
  const names =
    relation === undefined ? order : ['seq', ...order.filter(name => name === 'line_no')]
  return names.map(name => `r.${quoteName(name)}`).join(', ')
}

/** 1 where a cell of the row is none of its kind, else 0. */
function anyOf(columns: readonly (StoredColumn | undefined)[]): string {
  const asked = columns.flatMap(column => (column && brokenSql(column)) ?? [])
  return asked.length === 0 ? '0' : `coalesce(${asked.join(' OR ')}, 0)`
}

/** Only now, since asking for each column apart would slow down every healthy export. */
function brokenColumn(
  iterate: (table: StoredTable, cells: readonly string[]) => Database.Statement,
  table: StoredTable,
  columns: readonly (StoredColumn | undefined)[],
): StoredColumn {
  for (const column of columns) {
    const isBroken = column && brokenSql(column)
    if (isBroken === undefined) continue
    for (const bad of iterate(table, [isBroken]).pluck().iterate()) if (bad !== 0) return column!
  }
  return { name: '?', kind: 'text' }
}

/** Names the place, never the value (INV-10). */
const brokenCell = ({ name, stream }: StoredTable, column: StoredColumn): DatabaseError =>
  new DatabaseError(
    'DATABASE_BROKEN',
    `${name}.${column.name} holds a value that is no ${column.kind}`,
    {
      remedy: `the database was changed by something else; sync ${stream} for this range again`,
    },
  )
