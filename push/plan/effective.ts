import { instantAt, instantsAt, localIso } from '../../calendar/clock.ts'
import { isDay } from '../../calendar/days.ts'
import type { Flag } from '../operation.ts'

export interface LocalTime {
  day: string
  clock: string
  seconds: number
}

/** `yyyy-MM-ddTHH:mm[:ss]`; undefined for anything else. */
export function parseLocalTime(text: string): LocalTime | undefined {
  const [, day = '', clock = '', seconds = '00'] =
    /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? []
  return isDay(day) ? { day, clock, seconds: Number(seconds) } : undefined
}

/** A time at which a row takes effect, and what must be said of it. */
export interface Effective {
  atMs: number
  /** Local time with the store's offset, without milliseconds. */
  at: string
  flags: Flag[]
}

/**
 * A local time in a store's zone. Where clocks jump over it, as much later as they jumped; where
 * they show it twice, the first of the two; both are said.
 */
export function effectiveAt(text: string, timeZone: string, nowMs: number): Effective {
  const { day, clock, seconds } = parseLocalTime(text)!
  const times = instantsAt(day, clock, timeZone).length
  const atMs = instantAt(day, clock, timeZone) + seconds * 1000
  const flags: Flag[] = []
  if (times === 0) flags.push('dst_gap')
  if (times > 1) flags.push('dst_fold')
  if (atMs < nowMs) flags.push('late')
  return { atMs, at: localIso(atMs, timeZone).replace(/\.\d{3}/, ''), flags }
}
