import type Sqlite from 'better-sqlite3'
import Database from 'better-sqlite3'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import type { ComputedBooks, ShownBook } from '../../destination/shown-books.ts'
import { quoteName } from '../../quote.ts'
import { withScratch } from '../connection/scratch.ts'

/**
 * Shows the books of these days to SQL: replaces their rows in the database by those of the scratch
 * file, in one transaction, unless these show a later reading. What is there can always be computed
 * again, so tables of other columns are begun anew.
 */
export function keepShownBooks(databasePath: string, computed: ComputedBooks): void {
  inTransaction(databasePath, database => replaceDays(database, computed), computed.scratchPath)
}

/** Every business day of a store shows what was read up to this reading, as far as it is there. */
export function rememberRefresh(
  databasePath: string,
  { books, store, batch }: Pick<ComputedBooks, 'books' | 'store' | 'batch'>,
): void {
  inTransaction(databasePath, database => {
    makeTables(database, books)
    database.prepare('INSERT OR REPLACE INTO books_refreshed VALUES (?, ?)').run(store, batch)
  })
}

function inTransaction(
  path: string,
  work: (database: Sqlite.Database) => void,
  scratchPath?: string,
): void {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true })
  try {
    if (scratchPath !== undefined) database.prepare('ATTACH ? AS computed').run(scratchPath)
    const begin = database.transaction(() => {
      // Takes the lock for writing of this database alone, first of all: IMMEDIATE would lock the
      // scratch files as well, which the export may still be reading.
      database.exec('DELETE FROM readings WHERE false')
      database.exec(BOOKKEEPING)
      work(database)
    })
    withScratch(database, scratchPath === undefined ? [] : ['computed'], begin)
  } finally {
    database.close()
  }
}

const rowsOf = ({ view }: ShownBook): string => quoteName(`rows_${view}`)

const namesIn = ({ columns }: ShownBook): string =>
  columns.map(({ name }) => quoteName(name)).join(', ')

function replaceDays(database: Sqlite.Database, computed: ComputedBooks): void {
  const { books, store, days } = computed
  makeTables(database, books)
  if (showsLater(database, computed)) return
  for (const book of books) {
    const rows = rowsOf(book)
    database
      .prepare(
        `DELETE FROM ${rows} WHERE store_id = ? AND business_date >= ? AND business_date < ?`,
      )
      .run(store, days.from, days.to)
    const names = namesIn(book)
    // Those that were on another day before.
    database
      .prepare(
        `DELETE FROM ${rows} WHERE store_id = ? AND transaction_id IN
           (SELECT id FROM computed.${quoteName(books[0]!.computed)})`,
      )
      .run(store)
    database.exec(
      `INSERT INTO ${rows} (${names})
       SELECT ${names} FROM computed.${quoteName(book.computed)} ORDER BY seq`,
    )
  }
  rememberDays(database, computed)
}

/**
 * Whether a day of these shows a later reading already, or another day one of their transactions: a
 * refresh or another export came between the snapshot of an export and its end. No later refresh
 * would look at that day again, so what it shows stays; days beside it are as they were, and a
 * refresh finds what changed in them.
 */
function showsLater(
  database: Sqlite.Database,
  { books, store, days, batch, clock }: ComputedBooks,
): boolean {
  const [transactions] = books
  const isLater = `d.store_id = @store AND d.batch > @batch
    AND d.time_zone = @timeZone AND d.day_starts_at = @dayStartsAt`
  const inDays = `
    SELECT 1 FROM books_days d
    WHERE ${isLater} AND d.business_date >= @from AND d.business_date < @to`
  // Later days come first: as a rule there is none, and nothing else is looked at.
  const moved = `
    SELECT 1 FROM books_days d
    CROSS JOIN ${rowsOf(transactions!)} r
      ON r.store_id = d.store_id AND r.business_date = d.business_date
    CROSS JOIN computed.${quoteName(transactions!.computed)} c
      ON c.id = r.transaction_id
    WHERE ${isLater}`
  const later = database.prepare(`${inDays} UNION ALL ${moved} LIMIT 1`)
  return later.get({ store, ...days, batch, ...clock }) !== undefined
}

function rememberDays(
  database: Sqlite.Database,
  { store, days, batch, clock }: ComputedBooks,
): void {
  database
    .prepare(
      `WITH RECURSIVE every(day) AS (
         VALUES (@from)
         UNION ALL
         SELECT date(day, '+1 day') FROM every WHERE date(day, '+1 day') < @to
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

function makeTables(database: Sqlite.Database, books: readonly ShownBook[]): void {
  const there = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").pluck().all()
  if (books.every(book => there.includes(tableSql(book)))) return
  database.exec('DELETE FROM books_days; DELETE FROM books_refreshed')
  for (const book of books) {
    const [view, rows] = [book.view, `rows_${book.view}`]
    database.exec(`DROP VIEW IF EXISTS ${view}`)
    database.exec(`DROP TABLE IF EXISTS ${rows}`)
    database.exec(tableSql(book))
    database.exec(`CREATE INDEX ${rows}_day ON ${rows} (store_id, business_date)`)
    database.exec(`CREATE INDEX ${rows}_transaction ON ${rows} (store_id, transaction_id)`)
    database.exec(`CREATE VIEW ${view} AS SELECT ${namesIn(book)} FROM ${rows}`)
  }
}

/** Word for word what the database keeps of it: tables of earlier versions are known by it. */
function tableSql({ view, columns }: ShownBook): string {
  const declared = columns.map(({ name, type }) => `${quoteName(name)} ${type}`)
  return `CREATE TABLE rows_${view} (${declared.join(', ')}) STRICT`
}
