import { anyDayFinder } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import type {
  BookedDays,
  CatalogList,
  ChangedDay,
  ChangedMinute,
} from '../connectors/destination/booked-days.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { CORRECTIONS } from '../exports/sales/references.ts'
import { bookedStream } from './order-journal.ts'

const CATALOG: readonly CatalogList[] = Object.entries(CORRECTIONS).map(([name, one]) => ({
  stream: streams.find(stream => stream.name === name)!,
  ...one,
}))

/** Business days in which a reading after this one changed something, each with the newest such. */
export async function changesSince(
  bookedDays: Pick<BookedDays, 'changedSince' | 'correctedSince'>,
  store: string,
  batch: number,
  clock: StoreClock,
): Promise<Map<string, number>> {
  const minutes = await bookedDays.changedSince(store, bookedStream(), batch)
  return newestByDay([
    ...daysOf(minutes, clock),
    ...(await correctedDays(bookedDays, store, batch)),
  ])
}

/** Business days of which a lot's cost, or the account of a product, was corrected after this. */
export const correctedDays = (
  bookedDays: Pick<BookedDays, 'correctedSince'>,
  store: string,
  batch: number,
): Promise<ChangedDay[]> => bookedDays.correctedSince(store, CATALOG, batch)

/** The business days of minutes. */
export function daysOf(minutes: readonly ChangedMinute[], clock: StoreClock): ChangedDay[] {
  const dayOf = anyDayFinder(clock)
  return minutes.map(({ ms, batch }) => ({ day: dayOf(ms), batch }))
}

export function newestByDay(changes: readonly ChangedDay[]): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { day, batch } of changes) newest.set(day, Math.max(batch, newest.get(day) ?? 0))
  return newest
}
