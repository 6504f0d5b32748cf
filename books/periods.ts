import { addDays } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import type { GivenOut, PeriodEvent } from '../connectors/destination/given-out.ts'
import { settingsOfStore } from '../exports/journal/store-settings.ts'

/** The days of a month `yyyy-MM`, the second exclusive. */
export function monthRange(month: string): { from: string; to: string } {
  const from = `${month}-01`
  return { from, to: `${addDays(from, 31).slice(0, 7)}-01` }
}

/** Months that were closed and not reopened since, oldest first. */
export function closedMonths(events: readonly PeriodEvent[]): string[] {
  const last = new Map(events.map(({ month, event }) => [month, event]))
  return [...last].flatMap(([month, event]) => (event === 'closed' ? [month] : [])).toSorted()
}

/** The last day of the newest closed month, or the configured floor where that is later. */
export function laterOf(
  floor: string | undefined,
  events: readonly PeriodEvent[],
): string | undefined {
  const month = closedMonths(events).at(-1)
  if (month === undefined) return floor
  const lastDay = addDays(monthRange(month).to, -1)
  return floor !== undefined && floor > lastDay ? floor : lastDay
}

/** Until when a store's books are closed: changes of days up to then go to the current period. */
export const periodClosedThrough = async (
  { accounting }: Pick<Config, 'accounting'>,
  history: Pick<GivenOut, 'periods'>,
  store: string,
): Promise<string | undefined> =>
  laterOf(configuredFloor({ accounting }, store), await history.periods(store))

/** Until when tillage.yaml has a store's books closed. */
export const configuredFloor = (
  { accounting }: Pick<Config, 'accounting'>,
  store: string,
): string | undefined => settingsOfStore(accounting, store).periodClosedThrough

/** The first day of which anything was given out. */
export async function firstGiven(
  history: Pick<GivenOut, 'files'>,
  store: string,
): Promise<string | undefined> {
  const files = await history.files(store)
  return files.map(({ from }) => from).toSorted()[0]
}

/**
 * Whether others booked a day: tillage.yaml has it closed, and it lies before the first that was
 * given out.
 */
export const isBookedElsewhere = (day: string, first: string | undefined, floor = ''): boolean =>
  first !== undefined && day < first && day <= floor
