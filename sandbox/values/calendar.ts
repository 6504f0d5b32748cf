/**
 * Days and zones, as the API's date parameters need them. Instants are epoch milliseconds, days are
 * `yyyy-MM-dd`.
 */
import { TZDate, tzOffset } from '@date-fns/tz'
import { isDay } from '../../calendar/days.ts'

/** The first instant of a calendar day in a zone. */
export function dayStart(day: string, timeZone: string): number {
  const [year, month, date] = day.split('-').map(Number)
  return new TZDate(year!, month! - 1, date!, timeZone).getTime()
}

export function dayOf(ms: number, timeZone: string): string {
  return new Date(ms + tzOffset(timeZone, new Date(ms)) * 60_000).toISOString().slice(0, 10)
}

/**
 * `03/08/2026` -> `2026-03-08`; undefined unless it is a real day written the documented way
 * (Limits, rule 2).
 */
export function parseAmericanDay(text: string): string | undefined {
  const parts = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text)
  if (parts === null) return undefined
  const day = `${parts[3]}-${parts[1]}-${parts[2]}`
  return isDay(day) ? day : undefined
}

/**
 * When the clocks of a zone move during [startMs, endMs), and by how much (forward is positive);
 * undefined if they don't.
 */
export function clockChange(
  startMs: number,
  endMs: number,
  timeZone: string,
): { atMs: number; byMs: number } | undefined {
  const offsetAt = (ms: number): number => tzOffset(timeZone, new Date(ms)) * 60_000
  const byMs = offsetAt(endMs - 1) - offsetAt(startMs)
  if (byMs === 0) return undefined
  let before = startMs
  let atMs = endMs - 1
  while (atMs - before > 1) {
    const middle = Math.floor((before + atMs) / 2)
    if (offsetAt(middle) === offsetAt(startMs)) before = middle
    else atMs = middle
  }
  return { atMs, byMs }
}

/** Whether a moment lies in the calendar at all (ECMAScript, Time Range). */
export const isTime = (ms: number): boolean => Math.abs(ms) <= 8.64e15
