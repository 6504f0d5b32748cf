import type { Interval } from '../../calendar/days.ts'
import type { ColumnKind, Stream, Windowing } from '../stream.ts'
import type { BookShape, ComputedBooks } from './shown-books.ts'

/** A column that is read as it is stored; `date` is a day of the calendar, `yyyy-MM-dd`. */
export interface StoredColumn {
  name: string
  kind: ColumnKind | 'date'
}

/**
 * Decimals, texts, days and JSON as text, digit by digit; whole numbers as their digits where a
 * number would not hold them; times in milliseconds; true and false as 1 and 0.
 */
export type StoredCell = string | number | null

/** Rows that are read together, in the order of a unique key. */
export interface StoredTable {
  /** The view, or the name under which messages speak of it where there is a `relation`. */
  name: string
  /** Of the books of the snapshot: its rows are those of the order, numbered as they were added. */
  relation?: string
  /** The stream that brings the rows. */
  stream: string
  windowing: Windowing
  /** Whether a row is picked by its own cursor or follows its parent. */
  parent: { view: string; key: string } | undefined
  cursor: string
  /** Columns whose time stands in, in this order, where a record carries no cursor. */
  otherTimes: readonly string[]
  columns: readonly StoredColumn[]
  /** The unique key, in whose order rows come. */
  order: readonly string[]
}

/** One store, and the half-open range in which the cursor lies, or the first of the other times. */
export interface Selection extends Interval {
  store: string
}

/** A transaction that goes by business days. */
export interface BookedRecord {
  id: string
  raw: string
  /** The moment that puts it on a business day. */
  bookedMs: number
}

/** What the books look up of records, by their ids; without those that were never read. */
export type LookUp = (ids: readonly string[]) => Promise<ReadonlyMap<string, unknown>>

/** The books of some business days: filled row by row, then read as relations of the snapshot. */
export interface SnapshotBooks {
  /** Rows of one book, each with its cells in the order of the book's columns. */
  add(book: number, rows: readonly (readonly StoredCell[])[]): Promise<void>
  /** All rows are there: from now on they can be read. */
  finish(): Promise<void>
  /** Shows the same rows to whoever asks the database itself. */
  show(computed: Pick<ComputedBooks, 'days' | 'batch' | 'clock'>): Promise<void>
}

/**
 * One state of the database, whatever is written meanwhile: everything that an export reads. Rows
 * come in batches: to wait for each one would take longer than to read it.
 */
export interface Snapshot {
  /** The newest reading that it holds. */
  batch(): Promise<number>
  /**
   * Rows of a table in their order; of a column that is undefined nothing is read.
   * Throws DATABASE_BROKEN for a value that is none of its column's kind.
   */
  rows(
    table: StoredTable,
    columns: readonly (StoredColumn | undefined)[],
  ): AsyncIterable<StoredCell[][]>
  /** Each row as the JSON array of its cells, as they are stored: for comparing states. */
  jsonRows(table: StoredTable): AsyncIterable<string[]>
  /**
   * Transactions of the store that ended in a range, in the order of their ids. Those that are gone
   * from the API are left out.
   */
  booked(stream: Stream, range: Interval): AsyncIterable<BookedRecord[]>
  /** A record of a list as it is, and as it was seen before, as far as that is kept. */
  states(list: string, id: string): Promise<string[]>
  /** A column of a list; finds nothing where the list or the column was never read. */
  lookUp(list: string, column: string): LookUp
  /** Since when the API has said that there is no such record in a list. */
  missingSince(list: string): LookUp
  /** Only where books were asked for. */
  books: SnapshotBooks | undefined
  close(): Promise<void>
}

/** One state of the database, for questions in SQL. */
export interface QuestionTables {
  /** Which views show rows. */
  views(): readonly string[]
  /**
   * All rows of a view, of one store or of all, every cell as text; counting reads none. At once:
   * who answers questions waits for no promise while it reads.
   */
  texts(
    view: string,
    columns: readonly (StoredColumn | undefined)[],
    store: string | undefined,
  ): IterableIterator<(string | null)[]>
  close(): void
}

/** Books that are computed from a snapshot, and a folder for what is thrown away with it. */
export interface BooksToFill {
  shape: BooksShape
  folder: string
}

/** The books of a stream, and the lists of its records that no book replaces. */
export interface BooksShape {
  stream: string
  /** `transaction_id` */
  key: string
  books: readonly BookShape[]
  children: readonly { list: string; relation: string }[]
}
