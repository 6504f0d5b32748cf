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
import { brokenCell, isWhole, orderOf, sourceOf } from '../../sql/stored-table.ts'
import { bookedRecords, inBatches, lookUp, missingSince, statesOf } from './booked-records.ts'
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
      .prepare(
        `SELECT ${cells.join(', ')} ${sourceOf(table, name => name)} ORDER BY ${orderOf(table)}`,
      )
      .bind(isWhole(table) ? { store } : { store, start, end })
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
          throw brokenCell(table, brokenColumn(iterate, table, columns))
        yield batch
      }
    },
    async *jsonRows(table) {
      const cells = table.columns.map(({ name }) => `r.${quoteName(name)}`)
      const json = iterate(table, [`json_array(${cells.join(', ')})`])
      yield* inBatches(json.pluck().iterate() as IterableIterator<string>, ROWS_AT_ONCE)
    },
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

const cellOf = ({ name }: StoredColumn): string => `r.${quoteName(name)}`

/** The cell on row `r`, as SQL. Integers from 2^53 on do not survive as JavaScript numbers. */
function cellSql(column: StoredColumn | undefined): string {
  if (column === undefined) return 'NULL'
  const cell = cellOf(column)
  if (column.kind !== 'integer') return cell
  return `iif(${cell} BETWEEN -9007199254740991 AND 9007199254740991, ${cell}, CAST(${cell} AS TEXT))`
}

/** The cell as text, without the NUL characters that no text of a question may have. */
function textSql(column: StoredColumn | undefined): string {
  if (column === undefined) return 'NULL'
  return column.kind === 'text' || column.kind === 'json'
    ? `replace(${cellOf(column)}, char(0), '')`
    : `CAST(${cellOf(column)} AS TEXT)`
}

/**
 * True for a value that its kind does not allow, as SQL. Writers would silently turn some of these
 * into NULL.
 */
function brokenSql(column: StoredColumn): string | undefined {
  const cell = cellOf(column)
  switch (column.kind) {
    case 'integer':
      return `typeof(${cell}) NOT IN ('integer', 'null')`
    case 'boolean':
      return `(${cell} IS NOT NULL AND ${cell} NOT IN (0, 1))`
    case 'timestamp':
      // 8.64e15 is where both JavaScript's and DuckDB's calendars are still whole.
      return (
        `(${cell} IS NOT NULL AND NOT (typeof(${cell}) = 'integer' ` +
        `AND ${cell} BETWEEN -8640000000000000 AND 8640000000000000))`
      )
    case 'json':
      return `NOT coalesce(json_valid(${cell}), 1)`
    case 'text':
    case 'date':
    case 'decimal':
      return undefined
  }
}
