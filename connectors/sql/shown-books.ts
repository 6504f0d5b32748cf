/** What SQL shows of the books, as statements that are the same everywhere. */
import { addDays } from '../../calendar/days.ts'
import type { ComputedBooks, ShownBook } from '../destination/shown-books.ts'
import { quoteName } from '../quote.ts'
import { first, run } from './steps.ts'
import type { Steps } from './steps.ts'

/** Where the computed rows lie, and how they are looked up in the order of a statement. */
export interface ShownBooksDialect {
  /** Where the `id` of each computed transaction is, by the name of their table. */
  computed(table: string): string
  join: string
  /** Brings the computed rows of a book into its own, in their order. */
  insert(book: ShownBook): Steps<unknown>
}

/** The rows that the view of a book shows. */
export const shownRows = ({ view }: ShownBook): string => quoteName(`rows_${view}`)

/** The days that wait for a cost are few, and asked for whenever somebody looks at the books. */
export function indexesOf(book: ShownBook): string[] {
  const rows = shownRows(book)
  const index = (name: string, of: string): string =>
    `CREATE INDEX IF NOT EXISTS rows_${book.view}_${name} ON ${rows} (store_id, ${of}`
  return [
    index('day', 'business_date)'),
    index('transaction', 'transaction_id)'),
    ...(book.columns.some(({ name }) => name === 'cost_source')
      ? [index('without_cost', "business_date) WHERE cost_source = 'missing'")]
      : []),
  ]
}

export const columnNames = ({ columns }: ShownBook): string =>
  columns.map(({ name }) => quoteName(name)).join(', ')

/**
 * Replaces the rows of these days by those that were computed, unless they show a later reading;
 * inside a transaction.
 */
export function* replaceDays(computed: ComputedBooks, dialect: ShownBooksDialect): Steps<void> {
  const { books, store, days } = computed
  if (yield* showsLater(computed, dialect)) return
  const transactions = dialect.computed(books[0]!.computed)
  for (const book of books) {
    const rows = shownRows(book)
    yield* run(
      `DELETE FROM ${rows}
       WHERE store_id = @store AND business_date >= @from AND business_date < @to`,
      { store, ...days },
    )
    // Those that were on another day before.
    yield* run(
      `DELETE FROM ${rows}
       WHERE store_id = @store AND transaction_id IN (SELECT id FROM ${transactions})`,
      { store },
    )
    yield* dialect.insert(book)
  }
  yield* rememberDays(computed)
}

/**
 * Whether a day of these shows a later reading already, or another day one of their transactions: a
 * refresh or another export came between the snapshot of an export and its end. No later refresh
 * would look at that day again, so what it shows stays; days beside it are as they were, and a
 * refresh finds what changed in them.
 */
function* showsLater(
  { books, store, days, batch, clock }: ComputedBooks,
  { computed, join }: ShownBooksDialect,
): Steps<boolean> {
  const [transactions] = books
  const isLater = `d.store_id = @store AND d.batch > @batch
    AND d.time_zone = @timeZone AND d.day_starts_at = @dayStartsAt`
  const inDays = `
    SELECT 1 AS one FROM books_days d
    WHERE ${isLater} AND d.business_date >= @from AND d.business_date < @to`
  // Later days come first: as a rule there is none, and nothing else is looked at.
  const moved = `
    SELECT 1 AS one FROM books_days d
    ${join} ${shownRows(transactions!)} r
      ON r.store_id = d.store_id AND r.business_date = d.business_date
    ${join} ${computed(transactions!.computed)} c
      ON c.id = r.transaction_id
    WHERE ${isLater}`
  const later = yield* first(`${inDays} UNION ALL ${moved} LIMIT 1`, {
    store,
    ...days,
    batch,
    ...clock,
  })
  return later !== undefined
}

function* rememberDays({ store, days, batch, clock }: ComputedBooks): Steps<void> {
  for (let day = days.from; day < days.to; day = addDays(day, 1))
    yield* run(
      `INSERT INTO books_days (store_id, business_date, batch, time_zone, day_starts_at)
       VALUES (@store, @day, @batch, @timeZone, @dayStartsAt)
       ON CONFLICT (store_id, business_date) DO UPDATE SET
         batch = excluded.batch, time_zone = excluded.time_zone,
         day_starts_at = excluded.day_starts_at`,
      { store, day, batch, ...clock },
    )
}

/** Every business day of a store shows what was read up to this reading, as far as it is there. */
export const rememberRefreshed = (store: string, batch: number): Steps<number> =>
  run(
    `INSERT INTO books_refreshed (store_id, batch) VALUES (@store, @batch)
     ON CONFLICT (store_id) DO UPDATE SET batch = excluded.batch`,
    { store, batch },
  )
