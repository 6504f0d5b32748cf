import Database from 'better-sqlite3'
import { quoteName } from '../../connectors/quote.ts'
import type { Stream } from '../../connectors/stream.ts'
import { booksOf } from './book-datasets.ts'
import type { Book } from './book-datasets.ts'
import { SQL_TYPE } from './write-books.ts'

/** Other commands may be writing a large window. */
const BUSY_TIMEOUT_MS = 120_000

/** Every business day of a store shows what was read up to this reading, as far as it is there. */
export function rememberRefresh(
  databasePath: string,
  { stream, store, batch }: Pick<ComputedBooks, 'stream' | 'store' | 'batch'>,
): void {
  const database = openForWriting(databasePath)
  const remember = (): void => {
    makeTables(database, stream, booksOf(stream))
    database.prepare('INSERT OR REPLACE INTO books_refreshed VALUES (?, ?)').run(store, batch)
  }
  try {
    database.transaction(remember).immediate()
  } finally {
    database.close()
  }
}

const openForWriting = (path: string): Database.Database =>
  new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true })

/** Business days of a store whose books were computed into a scratch file. */
export interface ComputedBooks {
  stream: Stream
  store: string
  days: { from: string; to: string }
  scratchPath: string
  /** The newest reading that they hold. */
  batch: number
  /** What cuts the days: the store's zone and when they start. */
  clock: { timeZone: string; dayStartsAt: string }
}

/** The view of a book in the database: `books_transactions`, `books_items`, ... */
export const viewOf = ({ name, like }: Book, stream: Stream): string =>
  `books_${like === undefined ? name.replace('item_', '') : name.replace(`${stream.singular}_`, '')}`

const rowsOf = (book: Book, stream: Stream): string => `rows_${viewOf(book, stream)}`

/**
 * Shows the books of these days to SQL: replaces their rows in the database by those of the scratch
 * file, in one transaction. What is there can always be computed again, so tables of other columns
 * are begun anew.
 */
export function keepBookRows(databasePath: string, computed: ComputedBooks): void {
  const database = openForWriting(databasePath)
  try {
    database.prepare('ATTACH ? AS computed').run(computed.scratchPath)
    database.transaction(() => replaceDays(database, computed)).immediate()
  } finally {
    database.close()
  }
}

function replaceDays(database: Database.Database, computed: ComputedBooks): void {
  const { stream, store, days } = computed
  const books = booksOf(stream)
  makeTables(database, stream, books)
  const [header] = books
  for (const book of books) {
    const [rows, source] = [quoteName(rowsOf(book, stream)), `computed.${quoteName(book.name)}`]
    const columns = book.table.columns.map(({ name }) => quoteName(name)).join(', ')
    database
      .prepare(
        `DELETE FROM ${rows} WHERE store_id = ? AND business_date >= ? AND business_date < ?`,
      )
      .run(store, days.from, days.to)
    // Those that were on another day before.
    database
      .prepare(
        `DELETE FROM ${rows} WHERE store_id = ? AND transaction_id IN
           (SELECT id FROM computed.${quoteName(header!.name)})`,
      )
      .run(store)
    database.exec(`INSERT INTO ${rows} (${columns}) SELECT ${columns} FROM ${source} ORDER BY seq`)
  }
  rememberDays(database, computed)
}

function rememberDays(
  database: Database.Database,
  { store, days, batch, clock }: ComputedBooks,
): void {
  database
    .prepare(
      `WITH RECURSIVE every(day) AS (
         VALUES (@from) UNION ALL SELECT date(day, '+1 day') FROM every WHERE date(day, '+1 day') < @to
       )
       INSERT OR REPLACE INTO books_days
       SELECT @store, day, @batch, @timeZone, @dayStartsAt FROM every`,
    )
    .run({ store, ...days, batch, ...clock })
}

/** Which days the views show, as of which reading; and as of which all days were looked at. */
const BOOKKEEPING = `
  CREATE TABLE IF NOT EXISTS books_days (
    store_id TEXT NOT NULL, business_date TEXT NOT NULL, batch INTEGER NOT NULL,
    time_zone TEXT NOT NULL, day_starts_at TEXT NOT NULL,
    PRIMARY KEY (store_id, business_date)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS books_refreshed (
    store_id TEXT NOT NULL PRIMARY KEY, batch INTEGER NOT NULL
  ) STRICT;`

function makeTables(database: Database.Database, stream: Stream, books: readonly Book[]): void {
  database.exec(BOOKKEEPING)
  const wanted = books.map(book => tableSql(book, stream))
  const there = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").pluck().all()
  if (wanted.every(sql => there.includes(sql))) return
  database.exec('DELETE FROM books_days; DELETE FROM books_refreshed')
  books.forEach((book, index) => {
    const [view, rows] = [viewOf(book, stream), rowsOf(book, stream)]
    const columns = book.table.columns.map(({ name }) => quoteName(name)).join(', ')
    database.exec(`DROP VIEW IF EXISTS ${view}`)
    database.exec(`DROP TABLE IF EXISTS ${rows}`)
    database.exec(wanted[index]!)
    database.exec(`CREATE INDEX ${rows}_day ON ${rows} (store_id, business_date)`)
    database.exec(`CREATE INDEX ${rows}_transaction ON ${rows} (store_id, transaction_id)`)
    database.exec(`CREATE VIEW ${view} AS SELECT ${columns} FROM ${rows}`)
  })
}

const tableSql = (book: Book, stream: Stream): string => {
  const columns = book.table.columns.map(({ name, kind }) => `${quoteName(name)} ${SQL_TYPE[kind]}`)
  return `CREATE TABLE ${rowsOf(book, stream)} (${columns.join(', ')}) STRICT`
}
