/**
 * Windows in time, as pure functions: half-open `[startMs, endMs)` intervals of epoch milliseconds.
 * Zone maths lives here and runs in activities, never in workflows (`Date` subclasses are silently
 * wrong there).
 */
import { tzOffset } from '@date-fns/tz'
import type { WindowFamily } from './stream.ts'

export interface Interval {
  startMs: number
  endMs: number
}

const DAY_MS = 86_400_000

/**
 * The documentation limits most ranges to 7 days and does not say whether that counts the last day.
 * Asking for dates at most 6 apart is within the limit either way.
 */
export const MAX_DAYS_APART = 6

/** The calendar day, `yyyy-MM-dd`, that an instant falls on in a zone. */
export function dayOf(ms: number, timeZone: string): string {
  return new Date(ms + tzOffset(timeZone, new Date(ms)) * 60_000).toISOString().slice(0, 10)
}

/** Days are counted on the calendar alone, so neither DST nor leap days can bend this. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Whole days from one calendar day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS)
}

/** A real calendar day, `yyyy-MM-dd`: no 30 February. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text
}

/**
 * The first instant of a calendar day in a zone. Found by bisection instead of arithmetic, because
 * midnight does not exist where DST starts at 00:00 (Cairo, Santiago) and whole days do not where
 * the date line moved (Samoa 2011).
 */
export function dayStart(day: string, timeZone: string): number {
  const utcMidnight = Date.parse(`${day}T00:00:00Z`)
  let before = utcMidnight - 16 * 3_600_000
  let from = utcMidnight + 40 * 3_600_000
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (dayOf(middle, timeZone) >= day) from = middle
    else before = middle
  }
  return from
}

/**
 * Cuts a range of instants into windows at store midnights, so that no window needs more than the
 * wire allows.
 */
export function tile(range: Interval, timeZone: string, family: WindowFamily): Interval[] {
  if (range.endMs <= range.startMs) return []
  if (family === 'whole') return [range]
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
export const SHORTEST_CUT_MS = 60_000

/**
 * Two halves at a store midnight, or in the middle where dates are milliseconds; undefined if it
 * cannot or need not be cut.
 */
export function split(
  window: Interval,
  timeZone: string,
  family: WindowFamily,
): [Interval, Interval] | undefined {
  if (
    family === 'whole' ||
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
export function daysOnWire(window: Interval, timeZone: string): { from: string; to: string } {
  const first = [dayOf(window.startMs, timeZone), dayOf(window.startMs, 'UTC')].sort()
  const last = [dayOf(window.endMs - 1, timeZone), dayOf(window.endMs - 1, 'UTC')].sort()
  return { from: first[0]!, to: addDays(last[1]!, 1) }
}

/** A day as the API writes it: `MM/dd/yyyy`. */
export const onWire = (day: string): string =>
  `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(0, 4)}`

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
export function wireRange(window: Interval, timeZone: string, family: WindowFamily): WireRange {
  if (family === 'whole') return { query: {}, widest: { startMs: -Infinity, endMs: Infinity } }
  if (family === 'milliseconds') {
    // A millisecond more on both sides: nobody says whether the first and the last one count.
    return {
      query: { startDate: String(window.startMs - 1), endDate: String(window.endMs) },
      widest: { startMs: window.startMs - 1, endMs: window.endMs + 1 },
    }
  }
  const { from, to } = daysOnWire(window, timeZone)
  const after = addDays(to, 1)
  return {
    query: { startDate: onWire(from), endDate: onWire(to) },
    widest: {
      startMs: Math.min(dayStart(from, timeZone), dayStart(from, 'UTC')),
      endMs: Math.max(dayStart(after, timeZone), dayStart(after, 'UTC')),
    },
  }
}

/** What is left of an interval without the others; sorted. */
export function subtract(interval: Interval, others: readonly Interval[]): Interval[] {
  let left: Interval[] = interval.startMs < interval.endMs ? [interval] : []
  for (const other of others) {
    left = left.flatMap(part =>
      [
        { startMs: part.startMs, endMs: Math.min(part.endMs, other.startMs) },
        { startMs: Math.max(part.startMs, other.endMs), endMs: part.endMs },
      ].filter(
        rest =>
          rest.startMs < rest.endMs && rest.startMs >= part.startMs && rest.endMs <= part.endMs,
      ),
    )
  }
  return merge(left)
}

/** Sorted, with neighbours that touch or overlap joined. */
export function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const next of [...intervals].sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)) {
    const last = merged.at(-1)
    if (last !== undefined && next.startMs <= last.endMs)
      last.endMs = Math.max(last.endMs, next.endMs)
    else merged.push({ ...next })
  }
  return merged
}

/**
 * The watermark: from the earliest proven instant, everything below it is proven without a hole.
 */
export function watermark(proven: readonly Interval[]): number | undefined {
  return merge(proven)[0]?.endMs
}

export const toIso = (ms: number): string => new Date(ms).toISOString()
export const fromIso = (iso: string): number => Date.parse(iso)
