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
import { openConnections } from '../connection/connections.ts'
import type { InOrder } from '../connection/in-order.ts'
import { IN_TURN } from '../connection/serial.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { TEXT } from '../schema/bookkeeping.ts'
import { BOOK_RIGHTS } from '../schema/rights.ts'
import { storedView } from '../schema/stream-views.ts'
import { tablesIn } from '../schema/tables-in.ts'
import { bookViews, columnTypes, temporary } from './book-tables.ts'
import { copyAcross } from './copy-across.ts'

/**
 * Shows the books of these days to SQL: replaces their rows by those that were computed, unless
 * these show a later reading. They lie in temporary tables of another connection, whose transaction
 * sees an older state. What is there can always be computed again, so tables of other columns are
 * begun anew.
 */
export const keepShownBooks = (
  address: string,
  computed: ComputedBooks,
  source: InOrder,
): Promise<void> =>
  inTransactionOf(address, async client => {
    await bringIds(source, client, computed.books[0]!)
    await client.query(IN_TURN)
    const sql = statementsOn(client)
    await makeTables(sql, computed.books)
    await runSteps(sql, replaceDays(computed, dialectOf(source, client)))
  })

const dialectOf = (source: InOrder, client: ClientBase): ShownBooksDialect => ({
  computed: temporary,
  join: 'JOIN',
  *insert(book) {
    const [from, into, columns] = [temporary(book.computed), shownRows(book), columnNames(book)]
    yield () => copyAcross(source, client, { from, into, columns })
  },
})

/** Which transactions they are, for statements that ask only for that. */
async function bringIds(
  source: InOrder,
  client: ClientBase,
  { computed }: ShownBook,
): Promise<void> {
  const table = temporary(computed)
  await client.query(`CREATE TEMP TABLE ${quoteName(computed)} (id ${TEXT}) ON COMMIT DROP`)
  await copyAcross(source, client, { from: table, into: table, columns: 'id' })
}

export const rememberRefresh = (
  address: string,
  { books, store, batch }: Pick<ComputedBooks, 'books' | 'store' | 'batch'>,
): Promise<void> =>
  inTransactionOf(address, async client => {
    await client.query(IN_TURN)
    const sql = statementsOn(client)
    await makeTables(sql, books)
    await runSteps(sql, rememberRefreshed(store, batch))
  })

async function inTransactionOf(
  address: string,
  work: (client: ClientBase) => Promise<void>,
): Promise<void> {
  const connections = openConnections(address, { most: 2 })
  try {
    await inTransaction(connections, work)
  } finally {
    await connections.end()
  }
}

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
