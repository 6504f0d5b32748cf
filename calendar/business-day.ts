import { dayOf, firstInstantFrom } from './clock.ts'
import { addDays, daysBetween } from './days.ts'
import type { Interval } from './days.ts'

/** A store's clock: its zone, and the time at which its days start, `HH:mm`. */
export interface StoreClock {
  timeZone: string
  dayStartsAt: string
}

/**
 * The first instant of a business day: the first at which the store's clock shows that day's
 * cut-off or more. Where the cut-off does not exist (clocks go forward over it) that is the moment
 * of the change; where it comes twice, the first.
 */
export const businessDayStart = (day: string, { timeZone, dayStartsAt }: StoreClock): number =>
  firstInstantFrom(day, dayStartsAt, timeZone)

/**
 * A range of business days, the second exclusive, as instants. 23 and 25 hours where clocks change.
 */
export function businessDays(days: { from: string; to: string }, clock: StoreClock): Interval {
  return { startMs: businessDayStart(days.from, clock), endMs: businessDayStart(days.to, clock) }
}

/** When the business day began that runs at an instant. */
export function runningDayStart(ms: number, clock: StoreClock): number {
  const day = dayOf(ms, clock.timeZone)
  const startMs = businessDayStart(day, clock)
  return startMs <= ms ? startMs : businessDayStart(addDays(day, -1), clock)
}

/**
 * Finds the business day of instants in a range of days; asks the zone once for each day, not for
 * each instant.
 */
export function businessDayFinder(
  days: { from: string; to: string },
  clock: StoreClock,
): (ms: number) => string {
  const names = Array.from({ length: daysBetween(days.from, days.to) }, (_, index) =>
    addDays(days.from, index),
  )
  const starts = names.map(day => businessDayStart(day, clock))
  return ms => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= ms) low = middle
      else high = middle - 1
    }
    return names[low]!
  }
}

/** The same of any instant; those of one day, one after the other, cost little. */
export function anyDayFinder(clock: StoreClock): (ms: number) => string {
  let last = { day: '', startMs: 0, endMs: 0 }
  return ms => {
    if (ms < last.startMs || ms >= last.endMs) {
      const civil = dayOf(ms, clock.timeZone)
      const day = ms < businessDayStart(civil, clock) ? addDays(civil, -1) : civil
      last = { day, ...businessDays({ from: day, to: addDays(day, 1) }, clock) }
    }
    return last.day
  }
}
