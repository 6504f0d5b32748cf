import type { BookShape, ShownBook } from '../../destination/shown-books.ts'
import type { BooksShape, SnapshotBooks, StoredCell } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { putCells } from '../../staged/row-cells.ts'
import { RowValues } from '../../staged/row-values.ts'
import type { InOrder } from '../connection/in-order.ts'
import { storedView } from '../schema/stream-views.ts'
import { columnTypes, temporary, writtenKinds } from '../tables/book-tables.ts'
import { keepShownBooks } from '../tables/shown-books.ts'
import { copyInto, CopyRows } from '../window/copy-rows.ts'

/** So much waits in memory until it is sent. */
const SENT_BYTES = 1 << 20

/** The snapshot that books are computed from, and whose transaction they end with. */
interface BooksPlace {
  address: string
  inOrder: InOrder
  store: string
}

/** Books in temporary tables of the snapshot's own transaction. */
export async function openBooks(place: BooksPlace, shape: BooksShape): Promise<SnapshotBooks> {
  const { inOrder } = place
  const filling = await fillTables(inOrder, shape.books)
  return {
    add: (book, rows) => filling[book]!.add(rows),
    async finish() {
      for (const one of filling) await one.finish()
      for (const book of shape.books) await makeReadable(inOrder, book, shape.key)
      for (const view of viewsOf(shape)) await inOrder(client => client.query(view))
    },
    show: computed =>
      keepShownBooks(
        place.address,
        { ...computed, books: shape.books, store: place.store },
        inOrder,
      ),
  }
}

interface Filling {
  add(rows: readonly (readonly StoredCell[])[]): Promise<void>
  finish(): Promise<void>
}

/** `seq` comes last: it is the number of the row, by which rows are read in their order. */
async function fillTables(inOrder: InOrder, books: readonly ShownBook[]): Promise<Filling[]> {
  for (const book of books)
    await inOrder(client =>
      client.query(
        `CREATE TEMP TABLE ${quoteName(book.computed)} (${columnTypes(book)}, seq bigint)
         ON COMMIT DROP`,
      ),
    )
  return books.map(book => fillingOf(inOrder, book))
}

function fillingOf(inOrder: InOrder, book: ShownBook): Filling {
  const rows = new CopyRows(writtenKinds(book))
  const values = new RowValues(book.columns.length)
  let texts: Buffer = Buffer.allocUnsafe(1 << 16)
  let count = 0
  let sent: Promise<void> = Promise.resolve()
  // The server takes these rows while the next ones are computed.
  const send = async (): Promise<void> => {
    await sent
    const taken = rows.take()
    sent = inOrder(client => copyInto(client, temporary(book.computed), taken))
    // Said to whoever sends the next ones.
    sent.catch(() => {})
  }
  return {
    async add(added) {
      for (const cells of added) {
        texts = putCells(values, cells, texts)
        rows.add(++count, values, texts)
      }
      if (rows.bytes > SENT_BYTES) await send()
    },
    async finish() {
      await send()
      await sent
    },
  }
}

/**
 * Rows are read in the order of their numbers, without sorting them, and joined by these columns:
 * of all others nobody asks the planner.
 */
async function makeReadable(inOrder: InOrder, book: ShownBook, key: string): Promise<void> {
  const table = temporary(book.computed)
  const joined = ['store_id', 'id', key, 'line_no'].filter(name =>
    book.columns.some(column => column.name === name),
  )
  const counted = ['seq', ...joined].map(quoteName).join(', ')
  await inOrder(client => client.query(`CREATE INDEX ON ${table} (seq)`))
  await inOrder(client => client.query(`ANALYZE ${table} (${counted})`))
}

function viewsOf({ stream, key, books, children }: BooksShape): string[] {
  const view = (relation: string, select: string): string =>
    `CREATE TEMP VIEW ${quoteName(relation)} AS ${select}`
  return [
    ...books.map(({ relation, computed }) =>
      view(relation, `SELECT b.* FROM ${temporary(computed)} b`),
    ),
    ...books.flatMap(book =>
      book.beside === undefined
        ? []
        : [view(book.beside.relation, besideSelect(book, book.beside, key))],
    ),
    ...children.map(({ list, relation }) =>
      view(
        relation,
        `SELECT b.seq, s.* FROM ${temporary(stream)} b
         JOIN ${storedView(list)} s ON s.store_id = b.store_id AND s.${quoteName(key)} = b.id`,
      ),
    ),
  ]
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
