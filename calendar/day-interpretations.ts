/**
 * The four ways in which a server may read the days that it is asked for, as pure functions: which
 * days to ask for, what rows of an answer say of how they were read, and whether an answer holds
 * all of a window. Nothing is believed of a server: each answer has to show by its own rows how its
 * days were read, or the window is asked for so widely that it does not matter.
 */
import { dayOf, dayStart } from './clock.ts'
import { DAY_MS, addDays } from './days.ts'
import type { Interval } from './days.ts'

/** In whose zone days are, and whether the last one that is asked for counts. */
export interface DayInterpretation {
  zone: 'store' | 'UTC'
  end: 'inclusive' | 'exclusive'
}

/** Calendar days as they are asked for, `yyyy-MM-dd`. */
export interface AskedDays {
  from: string
  to: string
}

export const ALL_DAY_INTERPRETATIONS: readonly DayInterpretation[] = [
  { zone: 'store', end: 'inclusive' },
  { zone: 'store', end: 'exclusive' },
  { zone: 'UTC', end: 'inclusive' },
  { zone: 'UTC', end: 'exclusive' },
]

const zoneOf = ({ zone }: DayInterpretation, timeZone: string): string =>
  zone === 'store' ? timeZone : 'UTC'

/** The fewest days that hold a window whichever of these readings is the server's. */
export function daysToAsk(
  { startMs, endMs }: Interval,
  timeZone: string,
  readings: readonly DayInterpretation[],
): AskedDays {
  const days = readings.map(reading => {
    const zone = zoneOf(reading, timeZone)
    const last = dayOf(endMs - 1, zone)
    return {
      from: dayOf(startMs, zone),
      to: reading.end === 'inclusive' ? last : addDays(last, 1),
    }
  })
  return {
    from: days.map(({ from }) => from).toSorted()[0]!,
    to: days
      .map(({ to }) => to)
      .toSorted()
      .at(-1)!,
  }
}

function holdsDay({ end }: DayInterpretation, { from, to }: AskedDays, day: string): boolean {
  if (day < from) return false
  return end === 'inclusive' ? day <= to : day < to
}

/** Rows by the times that they carry; a server may have picked each by any of its own. */
export type RowTimes = readonly (readonly number[])[]

/** No clock was ever set back by more: a time further from the edges lies on another day. */
const FARTHEST_MS = 2 * DAY_MS

/** Whether a server of this reading lists a row with these times; without times it may anywhere. */
function holdsRow(
  days: AskedDays,
  timeZone: string,
  reading: DayInterpretation,
): (times: readonly number[]) => boolean {
  const zone = zoneOf(reading, timeZone)
  const startMs = dayStart(days.from, zone)
  const endMs = dayStart(reading.end === 'inclusive' ? addDays(days.to, 1) : days.to, zone)
  // The clock is asked only for rows just beyond the edges: it costs a hundred times a comparison.
  const isNear = (ms: number): boolean => ms >= startMs - FARTHEST_MS && ms < endMs + FARTHEST_MS
  const holds = (ms: number): boolean =>
    (ms >= startMs && ms < endMs) || (isNear(ms) && holdsDay(reading, days, dayOf(ms, zone)))
  return times => times.length === 0 || times.some(holds)
}

/** The rows that a server of this reading lists. */
export const rowsHeld = (
  rows: RowTimes,
  days: AskedDays,
  timeZone: string,
  reading: DayInterpretation,
): RowTimes => rows.filter(holdsRow(days, timeZone, reading))

/**
 * The readings that are possible after an answer: those under which each of its rows belongs there,
 * by at least one of its times. The server's own is always among them.
 */
export const possibleInterpretations = (
  rows: RowTimes,
  days: AskedDays,
  timeZone: string,
): DayInterpretation[] =>
  ALL_DAY_INTERPRETATIONS.filter(reading => rows.every(holdsRow(days, timeZone, reading)))

/** Whether the days hold all of a window under each of these readings. */
export const holdsWindow = (
  { startMs, endMs }: Interval,
  days: AskedDays,
  timeZone: string,
  readings: readonly DayInterpretation[],
): boolean =>
  readings.every(reading =>
    [startMs, endMs - 1].every(ms => holdsDay(reading, days, dayOf(ms, zoneOf(reading, timeZone)))),
  )

/** `days of the store, the last one included`; for people. */
export const describeInterpretation = ({ zone, end }: DayInterpretation): string =>
  `days ${zone === 'store' ? 'of the store' : 'in UTC'}, ` +
  `the last one ${end === 'inclusive' ? 'included' : 'left out'}`
