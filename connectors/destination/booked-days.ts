import type { Interval } from '../../calendar/days.ts'
import type { Stream } from '../stream.ts'

/**
 * A business day as a night has left it: the manifest of this sha256 holds every reading up to and
 * with this batch, as far as it is the day's.
 */
export interface BookedDay {
  store: string
  day: string
  manifest: string
  batch: number
}

export interface ChangedMinute {
  ms: number
  batch: number
}

export interface ChangedDay {
  day: string
  batch: number
}

/** A list whose records the lines of the books name. */
export interface CatalogList {
  stream: Stream
  /** What the books take from such a record: paths of its fields. */
  takes: readonly string[]
  /** Columns of the views of the books that hold its ids. */
  namedIn: readonly { view: string; column: string }[]
}

interface DayRange {
  from: string
  to: string
}

/** A business day of the views of the books, as it was computed. */
export interface ShownDay {
  day: string
  batch: number
  timeZone: string
  dayStartsAt: string
  /** Some line of it has no cost, and its lot has one by now. */
  costsCame: boolean
}

/**
 * Which business days have changed since they were looked at. It goes by numbers of readings, which
 * grow in the order of commits, and by no clock.
 */
export interface BookedDays {
  /** Keeps the newest of each day. Safe to call again. */
  remember(day: BookedDay): Promise<void>
  all(store: string): Promise<BookedDay[]>
  /** These hold up to this reading, too: nothing of the days has changed. */
  holdUpTo(days: readonly BookedDay[], batch: number): Promise<void>
  /**
   * The newest reading; to be asked before files are made, so that what commits meanwhile is newer.
   */
  newestBatch(): Promise<number>
  /**
   * Whether a record of a booked stream that ended in this interval was stored by a later reading
   * than this, or left the interval by one.
   */
  hasChanged(store: string, stream: Stream, day: Interval, batch: number): Promise<boolean>
  /**
   * The minutes (epoch milliseconds) in which records of a booked stream ended that were stored by
   * later readings than this, or that left them, each with the newest of these readings.
   */
  changedSince(store: string, stream: Stream, batch: number): Promise<ChangedMinute[]>
  /**
   * The business days that the views of the books show and of which a line names a record of these
   * lists from which the books took something else at this reading, each with the newest reading
   * that changed such a record. Costs that come are in `shown`.
   */
  correctedSince(store: string, lists: readonly CatalogList[], batch: number): Promise<ChangedDay[]>
  /** How many records of a booked stream ended in this interval; none is counted beyond `most`. */
  countUpTo(most: number, store: string, stream: Stream, days: Interval): Promise<number>
  /**
   * The business days that the views of the books show, and the reading up to which all days were
   * looked at; none and 0 before there are any. With a range, its second day exclusive, only days
   * of that.
   */
  shown(store: string, days?: DayRange): Promise<{ days: ShownDay[]; until: number }>
}
