/**
 * What clocks on the wall show, as pure functions. Runs in commands and activities, never in
 * workflows.
 */
import { tzOffset } from '@date-fns/tz'
import { addDays, dayOf } from '../connectors/window.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const offsetMs = (ms: number, timeZone: string): number =>
  tzOffset(timeZone, new Date(ms)) * MINUTE_MS

/**
 * Every instant at which the clocks of a zone show `HH:mm` on a day: none where they jump over it,
 * two where they are set back.
 */
export function instantsAt(day: string, clock: string, timeZone: string): number[] {
  const naiveMs = Date.parse(`${day}T${clock}:00Z`)
  const offsets = new Set(
    [naiveMs - DAY_MS, naiveMs, naiveMs + DAY_MS].map(ms => offsetMs(ms, timeZone)),
  )
  return [...offsets]
    .map(offset => naiveMs - offset)
    .filter(ms => offsetMs(ms, timeZone) === naiveMs - ms)
    .sort((a, b) => a - b)
}

/** The first such instant; where clocks jump over it, as much later as they jumped. */
export function instantAt(day: string, clock: string, timeZone: string): number {
  const naiveMs = Date.parse(`${day}T${clock}:00Z`)
  return instantsAt(day, clock, timeZone)[0] ?? naiveMs - offsetMs(naiveMs - DAY_MS, timeZone)
}

/** What the clocks of a zone show: `HH:mm`. */
export const clockOf = (ms: number, timeZone: string): string =>
  new Date(ms + offsetMs(ms, timeZone)).toISOString().slice(11, 16)

/** The first instant after another one at which the clocks show this. */
export function nextAt(afterMs: number, clock: string, timeZone: string): number {
  for (let day = addDays(dayOf(afterMs, timeZone), -1); ; day = addDays(day, 1)) {
    const ms = instantAt(day, clock, timeZone)
    if (ms > afterMs) return ms
  }
}
