import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { businessDayFinder } from '../../calendar/business-day.ts'
import { localTimes } from '../../calendar/clock.ts'
import type { Snapshot } from '../../connectors/destination/snapshot.ts'
import type { Stream } from '../../connectors/stream.ts'
import { sha256Of } from '../../sha256.ts'
import { booksOf } from './book-datasets.ts'
import type { BooksOrder } from './books-order.ts'
import type { BookContext, Cell } from './columns.ts'
import { memberKeyFinder } from './member-secret.ts'
import { salesIn } from './sales.ts'
import type { BookedSale } from './sales.ts'

/** Business days of a store whose books are computed. */
export interface BooksToCompute {
  stream: Stream
  store: string
  days: { from: string; to: string }
  books: Pick<BooksOrder, 'clock' | 'range' | 'read' | 'memberSecret'>
}

/**
 * Computes the five books of some days into the snapshot that they are computed from, in the order
 * of their keys. Answers the sha256 of all cells: the state of the books, whichever files are made
 * of them.
 */
export async function computeBooks(
  snapshot: Snapshot,
  work: BooksToCompute,
  step: (transactions: number) => void,
): Promise<string> {
  const state = createHash('sha256')
  const books = booksOf(work.stream)
  const filled = snapshot.books!
  const contextOf = contextFinder(work)
  let transactions = 0
  for await (const sales of salesIn(snapshot, work.stream, work.books.read)) {
    const rows: Cell[][][] = books.map(() => [])
    for (const booked of sales) {
      const context = contextOf(booked)
      let text = ''
      for (const [at, { table }] of books.entries())
        for (const row of table.rowsOf(booked.sale)) {
          const cells: Cell[] = []
          for (const column of table.columns) cells.push(column.of(row, context))
          rows[at]!.push(cells)
          text += JSON.stringify(cells)
        }
      state.update(text)
    }
    for (const [at, added] of rows.entries()) await filled.add(at, added)
    transactions += sales.length
    step(transactions)
    // Messages are sent in a turn of the event loop.
    await setImmediate()
  }
  await filled.finish()
  return state.digest('hex')
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
    sourceHash: sha256Of(raw),
  })
}
