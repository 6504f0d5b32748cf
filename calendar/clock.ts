/**
 * What clocks on the wall show, and when. Pure; runs in commands and activities, never in
 * workflows (`Date` subclasses are silently wrong there).
 */
import { tzOffset } from '@date-fns/tz'
import { DAY_MS, MINUTE_MS, addDays, toIso, utcDay } from './days.ts'
import type { Interval } from './days.ts'

/** Of each zone by minute, within which no zone changes its clocks: days are asked for again. */
const offsets = new Map<string, Map<number, number>>()
const MOST_MINUTES = 20_000

function offsetMs(ms: number, timeZone: string): number {
  let known = offsets.get(timeZone)
  if (known === undefined || known.size >= MOST_MINUTES) offsets.set(timeZone, (known = new Map()))
  const minute = Math.floor(ms / MINUTE_MS)
  const before = known.get(minute)
  if (before !== undefined) return before
  const offset = Math.round(tzOffset(timeZone, new Date(ms)) * MINUTE_MS)
  known.set(minute, offset)
  return offset
}

/** The calendar day, `yyyy-MM-dd`, that an instant falls on in a zone. */
export const dayOf = (ms: number, timeZone: string): string => utcDay(ms + offsetMs(ms, timeZone))

/** What the clocks of a zone show: `HH:mm`. */
export const wallTime = (ms: number, timeZone: string): string =>
  toIso(ms + offsetMs(ms, timeZone)).slice(11, 16)

/** Day and time on the clocks of a zone, where the zone is said elsewhere: `2026-03-08 12:00`. */
export const wallMinute = (ms: number, timeZone: string): string =>
  `${dayOf(ms, timeZone)} ${wallTime(ms, timeZone)}`

/** A moment as people of the store read it: `2026-03-08 12:00 (America/Los_Angeles)`. */
export const localMinute = (ms: number, timeZone: string): string =>
  `${wallMinute(ms, timeZone)} (${timeZone})`

/**
 * From when to when, as people of the store read it: `2026-03-08 12:00 to 2026-03-09 00:00
 * (America/Los_Angeles)`; with milliseconds where both lie in the same minute.
 */
export function localSpan({ startMs, endMs }: Interval, timeZone: string): string {
  const [start, end] = [startMs, endMs].map(ms => localIso(ms, timeZone).replace('T', ' '))
  const length = start!.slice(0, 16) === end!.slice(0, 16) ? 23 : 16
  return `${start!.slice(0, length)} to ${end!.slice(0, length)} (${timeZone})`
}

/** The wall clock's time with its offset: `2026-03-08T12:00:00.000-07:00`. */
export const localIso = (ms: number, timeZone: string): string =>
  shownTime(ms, offsetMs(ms, timeZone))

const shownTime = (ms: number, offset: number): string =>
  `${toIso(ms + offset).slice(0, -1)}${shownOffset(offset)}`

/** `-07:00` */
const shownOffset = (offset: number): string =>
  `${offset < 0 ? '-' : '+'}${toIso(Math.abs(offset)).slice(11, 16)}`

/** No zone changes its clocks within a quarter of an hour. */
const STEADY_MS = 15 * MINUTE_MS

/**
 * What the clocks of a zone show, as the instant at which those of UTC show the same; for many
 * instants near each other.
 */
export function wallClock(timeZone: string): (ms: number) => number {
  const offsets = new Map<number, number>()
  return ms => {
    const quarter = Math.floor(ms / STEADY_MS)
    const known = offsets.get(quarter)
    if (known !== undefined) return ms + known
    const offset = offsetMs(ms, timeZone)
    if (offsets.size >= MOST_QUARTERS) offsets.clear()
    offsets.set(quarter, offset)
    return ms + offset
  }
}

/** More than a year of them. */
const MOST_QUARTERS = 50_000

/** The same as `localIso`, for many instants near each other. */
export function localTimes(timeZone: string): (ms: number) => string {
  const clock = wallClock(timeZone)
  let last = 0
  let shown = shownOffset(last)
  return ms => {
    const wallMs = clock(ms)
    if (wallMs - ms !== last) {
      last = wallMs - ms
      shown = shownOffset(last)
    }
    return `${toIso(wallMs).slice(0, -1)}${shown}`
  }
}

/** Where a time of a day may lie: what it would be in UTC, and the offsets around it. */
function placeOf(day: string, clock: string, timeZone: string) {
  const naiveMs = Date.parse(`${day}T${clock}:00Z`)
  const before = offsetMs(naiveMs - DAY_MS, timeZone)
  const after = offsetMs(naiveMs + DAY_MS, timeZone)
  const instants = [...new Set([before, offsetMs(naiveMs, timeZone), after])]
    .map(offset => naiveMs - offset)
    .filter(ms => offsetMs(ms, timeZone) === naiveMs - ms)
    .sort((a, b) => a - b)
  return { instants, earliestMs: naiveMs - after, latestMs: naiveMs - before }
}

/**
 * Every instant at which the clocks of a zone show `HH:mm` on a day: none where they jump over it,
 * two where they are set back.
 */
export const instantsAt = (day: string, clock: string, timeZone: string): number[] =>
  placeOf(day, clock, timeZone).instants

/** The first such instant; where clocks jump over it, as much later as they jumped. */
export function instantAt(day: string, clock: string, timeZone: string): number {
  const { instants, latestMs } = placeOf(day, clock, timeZone)
  return instants[0] ?? latestMs
}

/** The other way round: the first instant at which the clocks of a zone show this. */
export const wallInstants =
  (timeZone: string) =>
  (wallMs: number): number => {
    const shown = toIso(wallMs)
    const beyondMinuteMs = wallMs - Math.floor(wallMs / MINUTE_MS) * MINUTE_MS
    return instantAt(shown.slice(0, 10), shown.slice(11, 16), timeZone) + beyondMinuteMs
  }

/**
 * The first instant at which the clocks of a zone show `HH:mm` of a day or more; where they jump
 * over it, the moment of the jump.
 */
export function firstInstantFrom(day: string, clock: string, timeZone: string): number {
  const { instants, earliestMs, latestMs } = placeOf(day, clock, timeZone)
  return instants[0] ?? clockChange(earliestMs, latestMs, timeZone)
}

/** The first instant after one, and at most at another, with an offset unlike that of the one. */
function clockChange(afterMs: number, atMostMs: number, timeZone: string): number {
  const offset = offsetMs(afterMs, timeZone)
  let [before, from] = [afterMs, atMostMs]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (offsetMs(middle, timeZone) === offset) before = middle
    else from = middle
  }
  return from
}

/**
 * The first instant of a calendar day in a zone. Midnight does not exist where DST starts at 00:00
 * (Cairo, Santiago), whole days do not where the date line moved (Samoa 2011).
 */
export const dayStart = (day: string, timeZone: string): number =>
  firstInstantFrom(day, '00:00', timeZone)

/** The first instant after another one at which the clocks show this. */
export function nextAt(afterMs: number, clock: string, timeZone: string): number {
  for (let day = addDays(dayOf(afterMs, timeZone), -1); ; day = addDays(day, 1)) {
    const ms = instantAt(day, clock, timeZone)
    if (ms > afterMs) return ms
  }
}

/** Store days as instants, half-open. */
export const daysAsInterval = (
  { from, to }: { from: string; to: string },
  timeZone: string,
): Interval => ({ startMs: dayStart(from, timeZone), endMs: dayStart(to, timeZone) })
