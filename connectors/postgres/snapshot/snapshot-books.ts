import { join } from 'node:path'
import type { BookShape, ShownBook } from '../../destination/shown-books.ts'
import type { BooksShape, BooksToFill, SnapshotBooks } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { columnNames } from '../../sql/shown-books.ts'
import type { InOrder } from '../connection/sql-connection.ts'
import { storedView } from '../schema/stream-views.ts'
import { columnTypes, temporary } from '../tables/book-tables.ts'
import { keepShownBooks } from '../tables/shown-books.ts'
import { copyInto } from '../window/copy-rows.ts'
import { openBookFile } from './book-file.ts'
import type { BookFile } from './book-file.ts'

/** The snapshot that books are computed from. */
interface BooksPlace {
  address: string
  inOrder: InOrder
  store: string
}

export interface OpenBooks extends SnapshotBooks {
  /** A book itself, in its file. Any other relation can be asked for in SQL from then on. */
  provide(relation: string): Promise<BookFile | undefined>
  close(): void
}

/**
 * Books in files of this machine: what was computed here, the server need not take and give back.
 * It is sent the books that are joined to its own lists.
 */
export function openBooks(
  { address, inOrder, store }: BooksPlace,
  { shape, folder }: BooksToFill,
): OpenBooks {
  const { books } = shape
  const open = (name: string, book: ShownBook): BookFile =>
    openBookFile(join(folder, `${name}.copy`), book)
  const files = books.map(book => open(book.computed, book))
  const [transactions] = books
  const idAt = transactions!.columns.findIndex(({ name }) => name === 'id')
  const ids = open('ids', { ...transactions!, columns: [transactions!.columns[idAt]!] })
  const all = [...files, ids]
  const joined = joinedBooks(shape)
  const sent = new Set<BookShape>()
  return {
    async add(book, rows) {
      files[book]!.add(rows)
      if (books[book] === transactions) ids.add(rows.map(cells => [cells[idAt]!]))
    },
    async finish() {
      for (const file of all) file.finish()
    },
    show: computed => keepShownBooks(address, { ...computed, books, store }, { files, ids }),
    async provide(relation) {
      const at = books.findIndex(book => book.relation === relation)
      if (at >= 0) return files[at]
      const { book, select } = joined.get(relation)!
      if (!sent.has(book)) await send(inOrder, book, files[books.indexOf(book)]!)
      sent.add(book)
      await inOrder(client =>
        client.query(`CREATE OR REPLACE TEMP VIEW ${quoteName(relation)} AS ${select}`),
      )
      return undefined
    },
    close() {
      for (const file of all) file.close()
    },
  }
}

/**
 * Into a temporary table of the snapshot's transaction. Rows are read in the order of their
 * numbers, without sorting them, and joined by their keys: of all other columns nobody asks the
 * planner.
 */
async function send(inOrder: InOrder, book: ShownBook, file: BookFile): Promise<void> {
  const table = temporary(book.computed)
  const ask = (sql: string): Promise<unknown> => inOrder(client => client.query(sql))
  await ask(
    `CREATE TEMP TABLE ${quoteName(book.computed)}
     (${columnTypes(book)}, seq bigint GENERATED ALWAYS AS IDENTITY) ON COMMIT DROP`,
  )
  for (const rows of file.copies())
    await inOrder(client => copyInto(client, `${table} (${columnNames(book)})`, rows))
  await ask(`CREATE INDEX ON ${table} (seq)`)
  const keys = book.columns.filter(({ name }) => name.endsWith('id') || name === 'line_no')
  await ask(`ANALYZE ${table} (seq, ${keys.map(({ name }) => quoteName(name)).join(', ')})`)
}

interface JoinedBook {
  book: BookShape
  select: string
}

/** By the relation that it makes. */
function joinedBooks({ key, books, children }: BooksShape): Map<string, JoinedBook> {
  const [transactions] = books
  return new Map([
    ...books.flatMap(book =>
      book.beside === undefined
        ? []
        : [[book.beside.relation, { book, select: besideSelect(book, book.beside, key) }] as const],
    ),
    ...children.map(({ list, relation }) => {
      const select = `SELECT b.seq, s.* FROM ${temporary(transactions!.computed)} b
        JOIN ${storedView(list)} s ON s.store_id = b.store_id AND s.${quoteName(key)} = b.id`
      return [relation, { book: transactions!, select }] as const
    }),
  ])
}

function besideSelect(
  { computed }: BookShape,
  { list, by, columns }: NonNullable<BookShape['beside']>,
  key: string,
): string {
  const line = `s.${quoteName(key)} = b.${quoteName(key)} AND s.line_no = b.line_no`
  const own = columns.map(name => `, s.${quoteName(name)}`).join('')
  return `SELECT b.*${own} FROM ${temporary(computed)} b
    JOIN ${storedView(list)} s
      ON s.store_id = b.store_id AND ${by === 'id' ? 's.id = b.id' : line}`
}
