import type { Config } from '../config.ts'

/** A store whose nights come before its business day is over, and what that does to its books. */
export interface EarlyNight {
  store: string
  warning: string
}

/**
 * Nights that start before the cut-off of the business day: they find yesterday still open, and are
 * for the day before it. Allowed, since somebody may want it; never without a word (INV-11).
 */
export function earlyNights({
  schedules,
  stores,
}: Pick<Config, 'schedules' | 'stores'>): EarlyNight[] {
  const { every, at } = schedules.nightly
  return stores
    .filter(({ dayStartsAt }) => every !== 'never' && at < dayStartsAt)
    .map(({ id, dayStartsAt }) => ({
      store: id,
      warning:
        `its nights at ${at} come before its business day ends at ${dayStartsAt}, ` +
        `so each books the day before yesterday; ` +
        `set schedules.nightly.at to ${dayStartsAt} or later`,
    }))
}

/** One line for each store, for people. */
export const describeEarlyNights = (config: Pick<Config, 'schedules' | 'stores'>): string[] =>
  earlyNights(config).map(({ store, warning }) => `${store}: ${warning}`)
