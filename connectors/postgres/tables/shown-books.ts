import type { ClientBase } from 'pg'
import type { ComputedBooks, ShownBook } from '../../destination/shown-books.ts'
import { quoteName } from '../../quote.ts'
import type { Sql } from '../../sql/connection.ts'
import {
  columnNames,
  indexesOf,
  rememberRefreshed,
  replaceDays,
  shownRows,
} from '../../sql/shown-books.ts'
import type { ShownBooksDialect } from '../../sql/shown-books.ts'
import { runSteps } from '../../sql/steps.ts'
import { IN_TURN } from '../connection/in-turn.ts'
import { statementsOn, withConnections, withSql } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { TEXT } from '../schema/bookkeeping.ts'
import { tablesIn } from '../schema/existing-schema.ts'
import { BOOK_RIGHTS } from '../schema/rights.ts'
import { storedView } from '../schema/stream-views.ts'
import type { BookFile } from '../snapshot/book-file.ts'
import { copyInto } from '../window/copy-rows.ts'
import { bookViews, columnTypes, temporary } from './book-tables.ts'

interface FilledBooks {
  /** In the order of the books. */
  files: readonly BookFile[]
  /** Which transactions they are, for statements that ask only for that. */
  ids: BookFile
}

/**
 * Shows the books of these days to SQL: replaces their rows by those that were computed, which lie
 * in these files, unless they show a later reading. What is there can always be computed again, so
 * tables of other columns are begun anew.
 */
export const keepShownBooks = (
  address: string,
  computed: ComputedBooks,
  { files, ids }: FilledBooks,
): Promise<void> =>
  withConnections(address, connections =>
    inTransaction(connections, async client => {
      const { computed: table } = computed.books[0]!
      await client.query(`CREATE TEMP TABLE ${quoteName(table)} (id ${TEXT}) ON COMMIT DROP`)
      await copyAll(client, temporary(table), ids)
      await client.query(IN_TURN)
      const sql = statementsOn(client)
      await makeTables(sql, computed.books)
      const dialect = dialectOf(client, book => files[computed.books.indexOf(book)]!)
      await runSteps(sql, replaceDays(computed, dialect))
    }),
  )

const dialectOf = (
  client: ClientBase,
  fileOf: (book: ShownBook) => BookFile,
): ShownBooksDialect => ({
  computed: temporary,
  join: 'JOIN',
  *insert(book) {
    const into = `${shownRows(book)} (${columnNames(book)})`
    yield () => copyAll(client, into, fileOf(book))
  },
})

async function copyAll(client: ClientBase, into: string, file: BookFile): Promise<void> {
  for (const rows of file.copies()) await copyInto(client, into, rows)
}

export const rememberRefresh = (
  address: string,
  { books, store, batch }: Pick<ComputedBooks, 'books' | 'store' | 'batch'>,
): Promise<void> =>
  withSql(address, sql =>
    sql.write(async inside => {
      await makeTables(inside, books)
      await runSteps(inside, rememberRefreshed(store, batch))
    }),
  )

/** Which days the views show, as of which reading; and as of which all days were looked at. */
const BOOKKEEPING = [
  `CREATE TABLE IF NOT EXISTS books_days (
    store_id ${TEXT} NOT NULL, business_date ${TEXT} NOT NULL, batch bigint NOT NULL,
    time_zone ${TEXT} NOT NULL, day_starts_at ${TEXT} NOT NULL,
    PRIMARY KEY (store_id, business_date))`,
  `CREATE TABLE IF NOT EXISTS books_refreshed (
    store_id ${TEXT} NOT NULL PRIMARY KEY, batch bigint NOT NULL)`,
]

async function makeTables(sql: Sql, books: readonly ShownBook[]): Promise<void> {
  if (!(await tablesIn(sql)).has('books_refreshed'))
    for (const statement of BOOKKEEPING) await sql.run(statement)
  const declared = await declaredColumns(sql)
  if (books.every(book => declared.get(`rows_${book.view}`) === declarationOf(book))) return
  await sql.run('DELETE FROM books_days')
  await sql.run('DELETE FROM books_refreshed')
  for (const book of books) for (const statement of remade(book)) await sql.run(statement)
  await sql.run(BOOK_RIGHTS)
}

const remade = (book: ShownBook): string[] => {
  const rows = shownRows(book)
  return [
    `DROP VIEW IF EXISTS ${book.view}`,
    `DROP VIEW IF EXISTS ${storedView(book.view)}`,
    `DROP TABLE IF EXISTS ${rows}`,
    `CREATE TABLE ${rows} (${columnTypes(book)})`,
    `COMMENT ON TABLE ${rows} IS '${declarationOf(book)}'`,
    ...indexesOf(book),
    ...bookViews(book),
  ]
}

/** Kept as the comment of a table: tables of earlier versions are known by it. */
const declarationOf = (book: ShownBook): string =>
  `${columnNames(book)}: ${book.columns.map(({ kind }) => kind).join(', ')}`

async function declaredColumns(sql: Sql): Promise<Map<string, string | null>> {
  const found = await sql.all<{ name: string; said: string | null }>(
    `SELECT relname AS name, obj_description(oid, 'pg_class') AS said
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  )
  return new Map(found.map(({ name, said }) => [name, said]))
}
