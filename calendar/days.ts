/**
 * Days and times as texts and numbers, without a zone. Days are `yyyy-MM-dd`, instants epoch
 * milliseconds.
 */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const toIso = (ms: number): string => new Date(ms).toISOString()
export const fromIso = (iso: string): number => Date.parse(iso)

/** The instant at which a day begins in UTC. */
export const utcMidnight = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** The day in UTC that an instant falls on. */
export const utcDay = (ms: number): string => toIso(ms).slice(0, 10)

/** Days are counted on the calendar alone, so daylight saving and leap days do not matter. */
export const addDays = (day: string, days: number): string =>
  utcDay(utcMidnight(day) + days * DAY_MS)

/** Whole days from one calendar day to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((utcMidnight(to) - utcMidnight(from)) / DAY_MS)

/** Days as ranges, the second day exclusive: neighbours in one. */
export function rangesOfDays(days: readonly string[]): { from: string; to: string }[] {
  const ranges: { from: string; to: string }[] = []
  for (const day of [...new Set(days)].toSorted()) {
    const last = ranges.at(-1)
    if (last?.to === day) last.to = addDays(day, 1)
    else ranges.push({ from: day, to: addDays(day, 1) })
  }
  return ranges
}

/** A real calendar day, `yyyy-MM-dd`: no 30 February. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? utcMidnight(text) : Number.NaN
  return !Number.isNaN(ms) && utcDay(ms) === text
}

/** `MM/dd/yyyy`, as the API and QuickBooks write days. */
export const monthFirst = (day: string): string =>
  `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(0, 4)}`

/** `dd/MM/yyyy`. */
export const dayFirst = (day: string): string =>
  `${day.slice(8, 10)}/${day.slice(5, 7)}/${day.slice(0, 4)}`

/** An ISO instant as tables show it, in UTC: `yyyy-MM-dd HH:mm`. */
export const toMinute = (iso: string): string => iso.slice(0, 16).replace('T', ' ')

/** A length of time in its largest whole unit, for people: `a moment`, `5 hours`, `20 days`. */
export function describeDuration(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS)
  if (minutes >= 2 * 1440) return `${Math.round(minutes / 1440)} days`
  if (minutes >= 2 * 60) return `${Math.round(minutes / 60)} hours`
  if (minutes === 0) return 'a moment'
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** Half-open intervals of epoch milliseconds, `[startMs, endMs)`. */
export interface Interval {
  startMs: number
  endMs: number
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

/** The watermark: from the earliest proven instant, everything below it is proven without a gap. */
export function watermark(proven: readonly Interval[]): number | undefined {
  return merge(proven)[0]?.endMs
}
