import type { StoreClock } from '../../calendar/business-day.ts'
import type { Interval } from '../../calendar/days.ts'

/** What the books of a range need to know besides the rows. */
export interface BooksOrder {
  clock: StoreClock
  /** The business days of the order as instants, not cut off at what was read. */
  range: Interval
  /** What of it is proven; rows are taken from there alone (INV-1). */
  read: Interval
  /**
   * Edits of the range's transactions are known until this moment, ISO 8601: up to there everything
   * modified since its start is proven.
   */
  editsKnownUntil: string
  /**
   * The last day of the last closed period; what changes up to then is posted on the day of the
   * run.
   */
  periodClosedThrough?: string
  /** Turns member ids into member keys. Never written anywhere. */
  memberSecret: string
}
