/**
 * Windows in time, as pure functions: how a range is cut for an endpoint, and the dates that ask
 * for a window. Runs in activities, never in workflows.
 */
import type { Windowing } from '../connectors/stream.ts'
import { dayOf, dayStart } from './clock.ts'
import { ALL_DAY_INTERPRETATIONS, daysToAsk } from './day-interpretations.ts'
import type { AskedDays } from './day-interpretations.ts'
import { MINUTE_MS, addDays, daysBetween, monthFirst } from './days.ts'
import type { Interval } from './days.ts'

/**
 * The documentation limits most ranges to 7 days and does not say whether that counts the last day.
 * Asking for dates at most 6 apart is within the limit either way.
 */
export const MAX_DAYS_APART = 6

/**
 * Cuts a range of instants into windows at store midnights, so that no window needs more than one
 * request may ask for.
 */
export function tile(range: Interval, timeZone: string, family: Windowing): Interval[] {
  if (range.endMs <= range.startMs) return []
  if (family === 'full-refresh') return [range]
  const windows: Interval[] = []
  let startMs = range.startMs
  while (startMs < range.endMs) {
    const firstDay = dayOf(startMs, timeZone)
    let days = MAX_DAYS_APART
    const endAfter = (count: number): number =>
      Math.min(dayStart(addDays(firstDay, count), timeZone), range.endMs)
    while (
      days > 1 &&
      (endAfter(days) <= startMs ||
        (family === 'days' &&
          daysApart({ startMs, endMs: endAfter(days) }, timeZone) > MAX_DAYS_APART))
    )
      days--
    const endMs = Math.max(endAfter(days), startMs + 1)
    windows.push({ startMs, endMs })
    startMs = endMs
  }
  return windows
}

/** A list that still moves in a range as short as this will not hold still in a shorter one. */
export const SHORTEST_CUT_MS = MINUTE_MS

/**
 * Two halves at a store midnight, or in the middle where dates are milliseconds; undefined if it
 * cannot or need not be cut.
 */
export function split(
  window: Interval,
  timeZone: string,
  family: Windowing,
): [Interval, Interval] | undefined {
  if (
    family === 'full-refresh' ||
    (family === 'milliseconds' && window.endMs - window.startMs <= SHORTEST_CUT_MS)
  )
    return undefined
  const middleMs = Math.floor((window.startMs + window.endMs) / 2)
  const cutMs = (family === 'milliseconds' ? [middleMs] : midnightsAround(middleMs, timeZone)).find(
    ms => ms > window.startMs && ms < window.endMs,
  )
  if (cutMs === undefined) return undefined
  return [
    { startMs: window.startMs, endMs: cutMs },
    { startMs: cutMs, endMs: window.endMs },
  ]
}

/** The midnights before and after an instant, the nearer one first. */
function midnightsAround(ms: number, timeZone: string): number[] {
  const day = dayOf(ms, timeZone)
  const [before, after] = [dayStart(day, timeZone), dayStart(addDays(day, 1), timeZone)]
  return ms - before <= after - ms ? [before, after] : [after, before]
}

/**
 * The calendar days to ask for, so that the window is inside the answer whichever way the server
 * reads them: days in the store's zone or in UTC, the last day included or not. A row too many
 * costs a duplicate; a row too few is lost.
 */
export function daysOnWire(window: Interval, timeZone: string): AskedDays {
  return daysToAsk(window, timeZone, ALL_DAY_INTERPRETATIONS)
}

const daysApart = (window: Interval, timeZone: string): number => {
  const wire = daysOnWire(window, timeZone)
  return daysBetween(wire.from, wire.to)
}

/**
 * What to send as `startDate` and `endDate`, and the widest interval that an honest answer may come
 * from.
 */
export interface WireRange {
  query: Readonly<Record<string, string>>
  widest: Interval
}

/**
 * Dates for one window in the endpoint's own calendar (limits 2 of the documentation's overview).
 */
export function wireRange(window: Interval, timeZone: string, family: Windowing): WireRange {
  if (family === 'full-refresh')
    return { query: {}, widest: { startMs: -Infinity, endMs: Infinity } }
  if (family === 'milliseconds') {
    // A millisecond more on both sides: nobody says whether the first and the last one count.
    return {
      query: { startDate: String(window.startMs - 1), endDate: String(window.endMs) },
      widest: { startMs: window.startMs - 1, endMs: window.endMs + 1 },
    }
  }
  return rangeOfDays(daysOnWire(window, timeZone), timeZone)
}

/** What to send for calendar days, for endpoints that take such. */
export function rangeOfDays({ from, to }: AskedDays, timeZone: string): WireRange {
  const after = addDays(to, 1)
  return {
    query: { startDate: monthFirst(from), endDate: monthFirst(to) },
    widest: {
      startMs: Math.min(dayStart(from, timeZone), dayStart(from, 'UTC')),
      endMs: Math.max(dayStart(after, timeZone), dayStart(after, 'UTC')),
    },
  }
}
