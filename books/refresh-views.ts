import { businessDays } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { rangesOfDays } from '../calendar/days.ts'
import { asDatabaseError, openSnapshot, rememberRefresh } from '../connectors/database.ts'
import type { ShownDay } from '../connectors/destination/booked-days.ts'
import { inTemporaryFolder } from '../disk.ts'
import { computeBooks } from '../exports/sales/compute-books.ts'
import { booksShape, shownBooks } from '../exports/sales/shown-books.ts'
import type { BooksPlace, Watcher } from './books-place.ts'
import { changesSince } from './changes-since.ts'
import { memberSecretOf } from './member-secret-of.ts'
import { bookedStream } from './order-journal.ts'
import { storeClockOf } from './store-clock.ts'

/** What became of the views of the books of one store. */
export interface RefreshedViews {
  store: string
  /** Business days that were computed anew. */
  days: number
  /** Days are behind still: they have more transactions than the limit, or one was overtaken. */
  isBehind: boolean
}

/** More transactions than any store has. */
export const NO_LIMIT = 2 ** 52

/**
 * Brings the views of the books (`books_transactions` and so on) up to date with what was read:
 * computes the business days anew in which something changed since they were computed. Where these
 * hold more transactions than the limit nothing is done.
 */
export async function refreshViews(
  place: BooksPlace,
  store: string,
  limit: number,
  watcher: Watcher,
): Promise<RefreshedViews> {
  try {
    return await computeBehind(place, store, limit, watcher)
  } catch (cause) {
    throw asDatabaseError(place.config.localFiles, cause)
  }
}

/** Of everything that JavaScript takes for a time. */
const ALWAYS = { startMs: -8.64e15, endMs: 8.64e15 }

async function computeBehind(
  place: BooksPlace,
  store: string,
  limit: number,
  { progress, signal }: Watcher,
): Promise<RefreshedViews> {
  const { config, database } = place
  const { bookedDays } = database
  const clock = storeClockOf(config, store, await database.timeZone(store))
  const shown = await bookedDays.shown(store)
  if (shown.until === 0 && shown.days.length === 0) {
    // Every day is behind. An index finds them; what changed would mean reading every row.
    const all = await bookedDays.countUpTo(limit + 1, store, bookedStream(), ALWAYS)
    if (all > limit) return { store, days: 0, isBehind: true }
  }
  const batch = await bookedDays.newestBatch()
  const changed = await changesSince(bookedDays, store, shown.until, clock)
  const days = daysBehind(changed, shown.days, clock)
  const ranges = rangesOfDays(days)
  let room = limit
  for (const range of ranges)
    room -= await bookedDays.countUpTo(room + 1, store, bookedStream(), businessDays(range, clock))
  if (room < 0) return { store, days: 0, isBehind: true }
  for (const range of ranges) {
    if (signal.aborted) return { store, days: 0, isBehind: true }
    progress(`${store}: the books of ${range.from} to ${range.to}, for SQL`)
    await computeDays(place, { store, days: range, clock, batch })
  }
  // A journal that has read more may have shown a day of a range: then none of it was replaced.
  const now = await bookedDays.shown(store)
  const missed = daysBehind(changed, now.days, clock).filter(day => changed.has(day))
  if (missed.length > 0) return { store, days: days.length - missed.length, isBehind: true }
  await rememberRefresh(config.database, { books: shownBooks(bookedStream()), store, batch })
  return { store, days: days.length, isBehind: false }
}

/** Days in which something changed after they were computed, or that another clock has cut. */
export function daysBehind(
  changed: ReadonlyMap<string, number>,
  shown: readonly ShownDay[],
  clock: StoreClock,
): string[] {
  const known = new Map(shown.map(one => [one.day, one]))
  const isCut = ({ timeZone, dayStartsAt }: ShownDay): boolean =>
    timeZone === clock.timeZone && dayStartsAt === clock.dayStartsAt
  const days = [...changed]
    .filter(([day, batch]) => (known.get(day)?.batch ?? -1) < batch)
    .map(([day]) => day)
  const others = shown.filter(one => one.costsCame || !isCut(one)).map(({ day }) => day)
  return [...new Set([...days, ...others])].toSorted()
}

async function computeDays(
  { config }: BooksPlace,
  {
    store,
    days,
    clock,
    batch,
  }: { store: string; days: { from: string; to: string }; clock: StoreClock; batch: number },
): Promise<void> {
  const stream = bookedStream()
  const range = businessDays(days, clock)
  await inTemporaryFolder(async folder => {
    const filled = { shape: booksShape(stream), folder }
    await using snapshot = await openSnapshot(config.database, { store, ...range }, filled)
    const books = { clock, range, read: range, memberSecret: await memberSecretOf(config) }
    await computeBooks(snapshot, { stream, store, days, books }, () => {})
    await snapshot.books!.show({ days, batch, clock })
  })
}
