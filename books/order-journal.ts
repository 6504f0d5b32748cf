import { businessDays } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { DAY_MS, addDays } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { KnownStore } from '../connectors/destination/stores.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { ConfigError } from '../errors.ts'
import { findDesktopProblems } from '../exports/journal/check-settings.ts'
import { countDeadLetters } from '../exports/journal/dead-letters.ts'
import type { JournalOrder } from '../exports/journal/journal-order.ts'
import type { JournalFormat, XeroDates } from '../exports/journal/settings.ts'
import { settingsOfStore } from '../exports/journal/store-settings.ts'
import { currencyOf } from '../money/currency.ts'
import type { BooksPlace } from './books-place.ts'
import { periodClosedThrough } from './periods.ts'
import { businessDayOfNow, storeClockOf } from './store-clock.ts'

/** The stream that the books are about. */
export function bookedStream(): (typeof streams)[number] {
  return streams.find(({ bookedAt }) => bookedAt !== undefined)!
}

/** No store of this API sold anything before. */
const FIRST_DAY_MS = Date.UTC(2000, 0, 1)

/** What somebody may say about a journal; without formats it has those of the store's settings. */
export type JournalChoice = Pick<
  JournalOrder,
  'suspenseReason' | 'closing' | 'restateReason' | 'reissuedBy'
> & { formats: readonly JournalFormat[] | undefined }

/**
 * What a journal needs besides the day's sales: accounts, identity, the business day of today, and
 * what could not be loaded.
 */
export async function orderJournal(
  { config, database }: BooksPlace,
  store: string,
  date: string,
  choice: JournalChoice,
): Promise<JournalOrder> {
  const settings = settingsOfStore(config.accounting, store)
  const formats = choice.formats ?? settings.formats
  if (formats.includes('iif')) refuseUnfitForDesktop(config, store)
  const clock = storeClockOf(config, store, await database.timeZone(store))
  const identity = await database.stores.find(store)
  const letters = await readLetters(database, store)
  return {
    ...choice,
    formats,
    settings: {
      ...settings,
      xero: { dates: settings.xero.dates ?? xeroDatesOf(clock.timeZone) },
      periodClosedThrough: await periodClosedThrough(config, database.givenOut, store),
    },
    storeKey: storeKeyOf(identity) ?? store,
    currency: currencyOf(config, store),
    today: businessDayOfNow(clock),
    deadLetters: countLetters(letters, { from: date, to: addDays(date, 1) }, clock),
    withoutDay: await database.rows.bookedOutside(store, bookedStream(), possibleTimes()),
  }
}

const possibleTimes = (): Interval => ({ startMs: FIRST_DAY_MS, endMs: Date.now() + DAY_MS })

/** How many of these belong to business days, or may: none of them is in books of those days. */
export const countLetters = (
  letters: readonly (readonly string[])[],
  days: { from: string; to: string },
  clock: StoreClock,
): number => countDeadLetters(letters, businessDays(days, clock), possibleTimes())

/** Of each record that no table could take what came, and what stands in the table of it. */
export async function readLetters(
  { deadLetters, versions }: ReadOnlyDatabase,
  store: string,
): Promise<string[][]> {
  const { name } = bookedStream()
  const letters = await deadLetters.of([store], [name])
  return Promise.all(
    letters.map(async ({ key, raw }) => {
      const standing = (await versions.of([store], name, key)).filter(
        ({ toBatch, goneAtMs }) => toBatch === undefined && goneAtMs === undefined,
      )
      return [raw, ...standing.map(version => version.raw)]
    }),
  )
}

/** Zones of the United States, the one country of Xero's that writes the month first. */
const AMERICAN = [
  /^US\//,
  /^Pacific\/Honolulu$/,
  /^America\/(Adak|Anchorage|Boise|Chicago|Denver|Detroit|Juneau|Los_Angeles|Menominee)$/,
  /^America\/(Metlakatla|New_York|Nome|Phoenix|Sitka|Yakutat)$/,
  /^America\/(Indiana|Kentucky|North_Dakota)\//,
]

export const xeroDatesOf = (timeZone: string): XeroDates =>
  AMERICAN.some(zones => zones.test(timeZone)) ? 'month-first' : 'day-first'

const storeKeyOf = (store: KnownStore | undefined): string | undefined =>
  store?.companyId === undefined || store.shopId === undefined
    ? undefined
    : `${store.companyId}:${store.shopId}`

function refuseUnfitForDesktop(config: Config, store: string): void {
  const unfit = findDesktopProblems(config.accounting, [store])
  if (unfit.length > 0)
    throw new ConfigError(
      config.written.name,
      unfit,
      'Nothing was written. Fix the file, or ask for another format.',
    )
}
