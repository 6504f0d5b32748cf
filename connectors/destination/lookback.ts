/**
 * How far back a run reads again: the declared days at least, and more where records were seen to
 * arrive later than that. Pure.
 */
import { DAY_MS } from '../../calendar/days.ts'
import type { Stream } from '../stream.ts'

/** Read where nothing was read before and no dates are given. */
export const FIRST_DAYS = 30

/** Records that were late longer ago than this say little about today. */
const REMEMBERED_MS = 90 * DAY_MS
/** A margin of one half over the latest record: the next one may be later still. */
const MARGIN = 1.5
/** Beyond this only a sweep looks. */
const LONGEST_MS = 60 * DAY_MS

/**
 * The latest record of one day that arrived after its time had been proven: first seen minus
 * modified.
 */
export interface Lateness {
  /** UTC day on which it was seen, `yyyy-MM-dd`. */
  day: string
  maxMs: number
}

/**
 * Never less than the declared days (`floorMs`); more than 60 days only where those are declared.
 */
export function lookbackMs(floorMs: number, measured: readonly Lateness[], nowMs: number): number {
  const recent = measured.filter(
    ({ day }) => nowMs - Date.parse(`${day}T00:00:00Z`) <= REMEMBERED_MS,
  )
  const latest = Math.max(0, ...recent.map(({ maxMs }) => maxMs))
  return Math.max(floorMs, Math.min(latest * MARGIN, LONGEST_MS))
}

/** How far back runs read a stream again. A list without dates is read again each time. */
export const lookbackOf = (
  { windowing, lookbackDays }: Stream,
  measured: readonly Lateness[],
  nowMs: number,
): number =>
  windowing === 'full-refresh'
    ? Number.POSITIVE_INFINITY
    : lookbackMs(lookbackDays * DAY_MS, measured, nowMs)
