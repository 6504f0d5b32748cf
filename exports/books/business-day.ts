import { tzOffset } from '@date-fns/tz'
import type { Interval } from '../../connectors/window.ts'
import { addDays, daysBetween } from '../../connectors/window.ts'

/** A store's clock: its zone, and the time at which its days start, `HH:mm`. */
export interface StoreClock {
  timeZone: string
  dayStartsAt: string
}

const DAY_MS = 86_400_000

/** What the wall clock shows at an instant, as if it were UTC. */
const wallMs = (ms: number, timeZone: string): number =>
  ms + Math.round(tzOffset(timeZone, new Date(ms)) * 60_000)

/**
 * The first instant of a business day: the first at which the store's clock shows that day's
 * cut-off or more. Where the cut-off does not exist (clocks go forward over it) that is the moment
 * of the change; where it comes twice, the first.
 */
export function businessDayStart(day: string, { timeZone, dayStartsAt }: StoreClock): number {
  const wall = Date.parse(`${day}T${dayStartsAt}:00Z`)
  // The offset of the day before and that of the day after: a change in between makes them differ.
  const guesses = [wall - DAY_MS, wall + DAY_MS]
    .map(around => wall - (wallMs(around, timeZone) - around))
    .sort((a, b) => a - b)
  const reached = (ms: number): boolean => wallMs(ms, timeZone) >= wall
  let at = guesses.find(reached) ?? guesses[1]!
  let before = guesses[0]! - 1
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (reached(middle)) at = middle
    else before = middle
  }
  return at
}

/**
 * A range of business days, the second exclusive, as instants. 23 and 25 hours where clocks change.
 */
export function businessDays(days: { from: string; to: string }, clock: StoreClock): Interval {
  return { startMs: businessDayStart(days.from, clock), endMs: businessDayStart(days.to, clock) }
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

/** The wall clock's time with its offset: `2026-03-08T12:00:00.000-07:00`. */
export function localIso(ms: number, timeZone: string): string {
  const minutes = Math.round(tzOffset(timeZone, new Date(ms)))
  const two = (value: number): string => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${new Date(ms + minutes * 60_000).toISOString().slice(0, -1)}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
