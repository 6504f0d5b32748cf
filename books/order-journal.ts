import { businessDayFinder, businessDays } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { dayOf } from '../calendar/clock.ts'
import { addDays, DAY_MS } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { ReadOnlyDatabase } from '../connectors/sqlite/read-only.ts'
import { ConfigError } from '../errors.ts'
import { findDesktopProblems } from '../exports/journal/check-settings.ts'
import { countDeadLetters } from '../exports/journal/dead-letters.ts'
import type { JournalOrder } from '../exports/journal/prepare-journal.ts'
import { periodClosedThrough } from './periods.ts'

/** The stream that the books are about. */
export function bookedStream(): (typeof streams)[number] {
  return streams.find(({ bookedAt }) => bookedAt !== undefined)!
}

/** No store of this API sold anything before. */
const FIRST_DAY_MS = Date.UTC(2000, 0, 1)

/**
 * What a journal needs besides the day's sales: accounts, identity, the business day of today, and
 * what could not be loaded.
 */
export async function orderJournal(
  config: Config,
  database: ReadOnlyDatabase,
  store: string,
  date: string,
  choice: Pick<
    JournalOrder,
    'formats' | 'suspenseReason' | 'closing' | 'restateReason' | 'reissuedBy'
  >,
): Promise<JournalOrder> {
  const unfit = choice.formats.includes('iif')
    ? findDesktopProblems(
        config.accounting,
        config.stores.map(({ id }) => id),
      )
    : []
  if (unfit.length > 0)
    throw new ConfigError(
      config.file,
      unfit,
      'Nothing was written. Fix the file, or ask for another format.',
    )
  const clock: StoreClock = {
    timeZone: await database.timeZone(store),
    dayStartsAt: config.stores.find(({ id }) => id === store)?.dayStartsAt ?? '00:00',
  }
  const identity = await database.db
    .selectFrom('stores')
    .select(['company_id', 'shop_id'])
    .where('store_id', '=', store)
    .executeTakeFirst()
  const letters = await database.db
    .selectFrom('dead_letters')
    .select('raw')
    .where('store_id', '=', store)
    .where('stream', '=', bookedStream().name)
    .execute()
  const possible = { startMs: FIRST_DAY_MS, endMs: Date.now() + DAY_MS }
  const now = dayOf(Date.now(), clock.timeZone)
  return {
    ...choice,
    settings: {
      ...config.accounting,
      periodClosedThrough: await periodClosedThrough(config, database.db, store),
    },
    storeKey:
      typeof identity?.company_id === 'string' && typeof identity.shop_id === 'string'
        ? `${identity.company_id}:${identity.shop_id}`
        : store,
    today: businessDayFinder({ from: addDays(now, -1), to: addDays(now, 1) }, clock)(Date.now()),
    deadLetters: countDeadLetters(
      letters.map(({ raw }) => raw),
      businessDays({ from: date, to: addDays(date, 1) }, clock),
      possible,
    ),
    withoutDay: await database.rows.bookedOutside(store, bookedStream(), possible),
  }
}
