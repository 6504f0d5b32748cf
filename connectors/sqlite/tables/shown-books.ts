import Database from 'better-sqlite3'
import type Sqlite from 'better-sqlite3'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import type { ComputedBooks, ShownBook } from '../../destination/shown-books.ts'
import { quoteName } from '../../quote.ts'
import {
  columnNames,
  indexesOf,
  rememberRefreshed,
  replaceDays,
  shownRows,
} from '../../sql/shown-books.ts'
import type { ShownBooksDialect } from '../../sql/shown-books.ts'
import { run } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import { stepsOn, withScratch } from '../connection/sql-connection.ts'
import { columnTypes } from './computed-books.ts'

/** The scratch file is attached; a CROSS JOIN keeps the order in which it is written. */
const DIALECT: ShownBooksDialect = {
  computed,
  join: 'CROSS JOIN',
  insert(book) {
    const names = columnNames(book)
    return run(
      `INSERT INTO ${shownRows(book)} (${names})
       SELECT ${names} FROM ${computed(book.computed)} ORDER BY seq`,
    )
  },
}

function computed(table: string): string {
  return `computed.${quoteName(table)}`
}

/**
 * Shows the books of these days to SQL: replaces their rows in the database by those of the scratch
 * file, in one transaction, unless these show a later reading. What is there can always be computed
 * again, so tables of other columns are begun anew.
 */
export function keepShownBooks(
  databasePath: string,
  computed: ComputedBooks,
  scratchPath: string,
): void {
  const work = replaceDays(computed, DIALECT)
  inTransaction({ databasePath, scratchPath }, computed.books, work)
}

export function rememberRefresh(
  databasePath: string,
  { books, store, batch }: Pick<ComputedBooks, 'books' | 'store' | 'batch'>,
): void {
  inTransaction({ databasePath }, books, rememberRefreshed(store, batch))
}

function inTransaction(
  { databasePath, scratchPath }: { databasePath: string; scratchPath?: string },
  books: readonly ShownBook[],
  steps: Steps<unknown>,
): void {
  const database = new Database(databasePath, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true })
  try {
    if (scratchPath !== undefined) database.prepare('ATTACH ? AS computed').run(scratchPath)
    const begin = database.transaction(() => {
      // Takes the lock for writing of this database alone, first of all: IMMEDIATE would lock the
      // scratch files as well, which the export may still be reading.
      database.exec('DELETE FROM readings WHERE false')
      database.exec(BOOKKEEPING)
      makeTables(database, books)
      stepsOn(database)(steps)
    })
    withScratch(database, scratchPath === undefined ? [] : ['computed'], begin)
  } finally {
    database.close()
  }
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
  const areThere = books.every(book => there.includes(tableSql(book)))
  if (!areThere) database.exec('DELETE FROM books_days; DELETE FROM books_refreshed')
  for (const book of areThere ? [] : books) {
    const [view, rows] = [book.view, `rows_${book.view}`]
    database.exec(`DROP VIEW IF EXISTS ${view}`)
    database.exec(`DROP TABLE IF EXISTS ${rows}`)
    database.exec(tableSql(book))
    database.exec(`CREATE VIEW ${view} AS SELECT ${columnNames(book)} FROM ${rows}`)
  }
  for (const statement of books.flatMap(indexesOf)) database.exec(statement)
}

/** Word for word what the database keeps of it: tables of earlier versions are known by it. */
const tableSql = (book: ShownBook): string =>
  `CREATE TABLE rows_${book.view} (${columnTypes(book)}) STRICT`
