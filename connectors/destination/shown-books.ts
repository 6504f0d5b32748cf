import type { ColumnKind } from '../stream.ts'

/**
 * A book as SQL shows it: a view in the database, and a table for a while of the rows that were
 * computed.
 */
export interface ShownBook {
  /** `books_transactions`, `books_items`, ... */
  view: string
  /** The table that lasts for a while, in the order of `seq`. */
  computed: string
  columns: readonly { name: string; kind: ColumnKind | 'date' }[]
}

/** The same for the snapshot that it is computed from. */
export interface BookShape extends ShownBook {
  /** Under which its rows are read. */
  relation: string
  /** The same rows with columns of the stream's own beside them, where there are such. */
  beside:
    | { relation: string; list: string; by: 'id' | 'line'; columns: readonly string[] }
    | undefined
}

/** Business days of a store whose books were computed. */
export interface ComputedBooks {
  /** The first is that of the transactions; the others name theirs in `transaction_id`. */
  books: readonly ShownBook[]
  store: string
  days: { from: string; to: string }
  /** The newest reading that they hold. */
  batch: number
  /** What cuts the days: the store's zone and when they start. */
  clock: { timeZone: string; dayStartsAt: string }
}
