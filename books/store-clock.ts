import { anyDayFinder } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import type { Config } from '../config.ts'

/** When a store's business days begin: its cut-off as configured, in this zone. */
export const storeClockOf = (
  { stores }: Pick<Config, 'stores'>,
  store: string,
  timeZone: string,
): StoreClock => ({
  timeZone,
  dayStartsAt: stores.find(({ id }) => id === store)?.dayStartsAt ?? '00:00',
})

/** The business day of an instant. */
export const businessDayOf = (ms: number, clock: StoreClock): string => anyDayFinder(clock)(ms)

/** The business day of now. */
export const businessDayOfNow = (clock: StoreClock): string => businessDayOf(Date.now(), clock)
