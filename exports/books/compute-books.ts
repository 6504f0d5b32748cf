import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { businessDayFinder } from '../../calendar/business-day.ts'
import { localTimes } from '../../calendar/clock.ts'
import { openComputedFile } from '../../connectors/database-for-exports.ts'
import type { ComputedBook } from '../../connectors/database-for-exports.ts'
import type { Stream } from '../../connectors/stream.ts'
import { ByteText } from '../formats/byte-text.ts'
import type { Book } from './book-datasets.ts'
import { booksOf } from './book-datasets.ts'
import type { BooksOrder } from './books-order.ts'
import type { BookContext, Cell } from './columns.ts'
import { memberKeyFinder } from './member-secret.ts'
import { createRenderer } from './render-book.ts'
import type { BookRenderer, RenderedRows, Rendering } from './render-book.ts'
import { putJsonRow, putValues } from './row-text.ts'
import type { BookedSale } from './sales.ts'
import { createSaleReader } from './sales.ts'
import { shownBooks } from './shown-books.ts'

/**
 * Which books are computed, and what is made of their rows. Must survive being sent to a thread.
 */
export interface BooksToCompute {
  stream: Stream
  store: string
  days: { from: string; to: string }
  books: Pick<BooksOrder, 'clock' | 'range' | 'read' | 'memberSecret'>
  /** By the name of a book. */
  renderings: ReadonlyMap<string, Rendering>
}

/** The books of some transactions. Their bytes stand until the next ones are computed. */
export interface ComputedSlice {
  transactions: number
  /** The cells of all rows, transaction by transaction and book by book, as JSON. */
  state: Uint8Array<ArrayBuffer>
  /** Of the books that are rendered, in their order. */
  rendered: readonly RenderedRows[]
}

/** Where the bytes of a slice stand. */
export const memoryOf = ({ state, rendered }: ComputedSlice): ArrayBuffer[] =>
  [state, ...rendered.flatMap(({ csv, lines }) => [csv, lines])].map(({ buffer }) => buffer)

export interface BooksComputer {
  /**
   * Slices are numbered in the order of their transactions, each with less than 2^24 rows a book;
   * later ones come later. `memory` is that of an earlier slice, where that was handed over to
   * another thread, which needs it no longer.
   */
  compute: (
    number: number,
    ids: readonly string[],
    memory?: readonly ArrayBuffer[],
  ) => ComputedSlice
  /** The scratch file is whole then, and can be read. */
  finish: () => void
  close: () => void
}

/** So many numbers of rows are kept for a slice. */
const ROWS_A_SLICE = 2 ** 24

/**
 * Computes books from a snapshot of the database, a slice of transactions at a time, into a scratch
 * file.
 */
export function openComputer(
  snapshot: Database.Database,
  scratchPath: string,
  work: BooksToCompute,
): BooksComputer {
  const scratch = openComputedFile(scratchPath, shownBooks(work.stream))
  const books = booksOf(work.stream).map((book, at) => openBook(book, scratch.books[at]!, work))
  const saleOf = createSaleReader(snapshot, work.stream, work.store)
  const contextOf = contextFinder(work)
  const state = new ByteText()
  const texts = [state, ...books.flatMap(({ renderer }) => renderer?.texts ?? [])]
  return {
    compute(number, ids, memory = []) {
      for (const [at, text] of texts.entries()) text.useInstead(memory[at])
      for (const book of books) book.seq = number * ROWS_A_SLICE
      for (const id of ids) {
        const sale = saleOf(id)
        addSale(books, sale, contextOf(sale), state)
      }
      return {
        transactions: ids.length,
        state: state.take(),
        rendered: books.flatMap(({ renderer }) => (renderer === undefined ? [] : renderer.take())),
      }
    },
    finish: scratch.finish,
    close: scratch.close,
  }
}

interface OpenBook {
  table: Book['table']
  computed: ComputedBook
  /** Of the row that comes next. */
  seq: number
  renderer: BookRenderer | undefined
}

function openBook(book: Book, computed: ComputedBook, { renderings }: BooksToCompute): OpenBook {
  const rendering = renderings.get(book.name)
  const renderer = rendering && createRenderer(book, rendering)
  return { table: book.table, computed, seq: 0, renderer }
}

/** Writes its rows to the scratch file, and their cells as JSON for the hash of the state. */
function addSale(
  books: readonly OpenBook[],
  { sale }: BookedSale,
  context: BookContext,
  state: ByteText,
): void {
  for (const book of books) {
    const { columns } = book.table
    for (const row of book.table.rowsOf(sale)) {
      const cells: Cell[] = []
      for (const column of columns) cells.push(column.of(row, context))
      addRow(book, cells, state)
    }
  }
}

function addRow(book: OpenBook, cells: readonly Cell[], state: ByteText): void {
  const { computed, renderer } = book
  const start = state.length
  const kind = putJsonRow(state, cells, computed.values)
  const end = state.length
  if (kind !== 'plain') putValues(state, cells, computed.values)
  computed.add(++book.seq, state.bytes)
  state.length = end
  renderer?.add(cells, { text: state, start, fits: kind !== 'unfit' })
}

function contextFinder({
  store,
  days,
  books: { clock, memberSecret },
}: BooksToCompute): (sale: BookedSale) => BookContext {
  const dayOf = businessDayFinder(days, clock)
  const keyOf = memberKeyFinder(memberSecret)
  const localTime = localTimes(clock.timeZone)
  return ({ sale: { memberId, completedMs }, bookedMs, raw }) => ({
    store,
    timeZone: clock.timeZone,
    businessDate: dayOf(bookedMs),
    completedLocal: completedMs === undefined ? null : localTime(completedMs),
    memberKey: memberId === undefined ? null : keyOf(memberId),
    sourceHash: hash('sha256', raw),
  })
}
