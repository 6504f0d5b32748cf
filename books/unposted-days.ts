import { businessDays } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { addDays } from '../calendar/days.ts'
import type { KeptEntry, PostedDay } from '../connectors/destination/given-out.ts'
import { readUnposted } from '../exports/journal/unposted.ts'
import type { Unposted } from '../exports/journal/unposted.ts'
import { postingHistoryOf } from '../exports/posting-history.ts'
import type { BooksPlace } from './books-place.ts'
import { changesSince } from './changes-since.ts'
import { bookedStream, countLetters, orderJournal, readLetters } from './order-journal.ts'
import { storeClockOf } from './store-clock.ts'

/** A posted day whose rows say something else by now. */
export interface UnpostedDay extends Unposted {
  store: string
  day: string
}

export interface UnpostedDays {
  days: UnpostedDay[]
  /** Days that may have changed too, and were not computed: more than could be at once. */
  notComputed: number
}

export interface UnpostedQuestion {
  /** The second day exclusive; without them: every day. */
  days?: { from: string; to: string }
  /** Days that only files are known to have a journal of. */
  booked?: readonly string[]
  /** No more days than these are computed, the newest first. */
  limit?: number
}

/**
 * Days of a store whose journal was posted and no longer says what the rows say (INV-9): edited,
 * voided, late and deleted sales, sales that no table could take, days that are cut at another
 * hour. Computed from the rows as they are, so that it holds the minute they were read. Fails with
 * STORE_ZONE where nobody knows how days are cut.
 */
export async function unpostedDays(
  place: BooksPlace,
  store: string,
  { days, booked = [], limit = Infinity }: UnpostedQuestion = {},
): Promise<UnpostedDays> {
  const known = await place.database.givenOut.postedDays(store, days)
  const posted = knownAndBooked(known, booked).filter(
    ({ day }) => days === undefined || (day >= days.from && day < days.to),
  )
  if (posted.length === 0) return { days: [], notComputed: 0 }
  const clock = storeClockOf(place.config, store, await place.database.timeZone(store))
  const suspects = await suspectDays(place, store, posted, clock)
  const chosen = suspects.slice(-limit)
  const found: UnpostedDay[] = []
  for (const day of chosen) {
    const unposted = await computeDay(place, store, day, clock)
    if (unposted !== undefined) found.push({ store, day, ...unposted })
  }
  return { days: found, notComputed: suspects.length - chosen.length }
}

const knownAndBooked = (known: readonly PostedDay[], booked: readonly string[]): PostedDay[] => {
  const days = new Set(known.map(({ day }) => day))
  const others = booked.filter(day => !days.has(day))
  const unknown = { batch: -1, timeZone: null, dayStartsAt: null }
  return [...known, ...others.map(day => ({ day, ...unknown }))].toSorted((one, other) =>
    one.day < other.day ? -1 : 1,
  )
}

async function computeDay(
  place: BooksPlace,
  store: string,
  day: string,
  clock: StoreClock,
): Promise<Unposted | undefined> {
  const days = { from: day, to: addDays(day, 1) }
  return readUnposted({
    database: place.config.database,
    history: postingHistoryOf(place.database.givenOut),
    out: place.config.exports,
    store,
    days,
    range: businessDays(days, clock),
    stream: bookedStream(),
    journal: await orderJournal(place, store, day, { formats: [] }),
  })
}

/** Days that may say something else, oldest first. */
async function suspectDays(
  place: BooksPlace,
  store: string,
  posted: readonly PostedDay[],
  clock: StoreClock,
): Promise<string[]> {
  const changed = await changedDays(place, store, posted, clock)
  const letters = await readLetters(place.database, store)
  const hasLetters = (day: string): boolean =>
    letters.length > 0 && countLetters(letters, { from: day, to: addDays(day, 1) }, clock) > 0
  return posted
    .filter(one => changed.has(one.day) || isCutOtherwise(one, clock) || hasLetters(one.day))
    .map(({ day }) => day)
}

const isCutOtherwise = ({ timeZone, dayStartsAt }: PostedDay, clock: StoreClock): boolean =>
  timeZone !== null && (timeZone !== clock.timeZone || dayStartsAt !== clock.dayStartsAt)

/**
 * Days with a row that a later reading than that of the journal has touched, or whose missing costs
 * came. What the views of the books show is known day by day; only what was read after them, or
 * after the journal of a day that they show otherwise, is looked for among the rows.
 */
async function changedDays(
  { database: { bookedDays, givenOut } }: BooksPlace,
  store: string,
  posted: readonly PostedDay[],
  clock: StoreClock,
): Promise<Set<string>> {
  const shown = await bookedDays.shown(store, {
    from: posted[0]!.day,
    to: addDays(posted.at(-1)!.day, 1),
  })
  const shownAt = new Map(shown.days.map(({ day, batch }) => [day, batch]))
  const behind = posted.filter(({ day, batch }) => (shownAt.get(day) ?? Infinity) > batch)
  const since = Math.max(
    Math.min(...posted.map(({ batch }) => batch)),
    Math.min(shown.until, ...behind.map(({ batch }) => batch)),
  )
  const newest = await changesSince(bookedDays, store, since, clock)
  const lacking: string[] = []
  for (const { day } of behind)
    if (isWithoutCosts(await givenOut.posted(store, day))) lacking.push(day)
  return new Set([
    ...posted.filter(({ day, batch }) => (newest.get(day) ?? -1) > batch).map(({ day }) => day),
    ...lacking,
    ...shown.days.filter(one => one.costsCame).map(({ day }) => day),
  ])
}

const isWithoutCosts = (entries: readonly KeptEntry[]): boolean => {
  const last = entries.at(-1)
  return last !== undefined && (JSON.parse(last.entry) as { note?: string }).note !== undefined
}
