/**
 * Windows of calendar days, asked for as narrowly as an answer can show to be enough. Nothing is
 * proven by what is believed of a server: a narrow answer holds the whole window under every
 * reading of days that its own rows leave possible, or the window is read again with the days that
 * hold it however they are read. What was learned only chooses what to ask first.
 */
import {
  ALL_DAY_INTERPRETATIONS,
  daysToAsk,
  describeInterpretation,
  holdsWindow,
  possibleInterpretations,
  rowsHeld,
} from '../calendar/day-interpretations.ts'
import type { AskedDays, DayInterpretation, RowTimes } from '../calendar/day-interpretations.ts'
import { DAY_MS } from '../calendar/days.ts'
import { rangeOfDays } from '../calendar/windows.ts'
import type { WireRange } from '../calendar/windows.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { ReadContext } from './context.ts'
import { keepCalendar, probeCalendar, recallCalendar } from './known-calendar.ts'
import { readWindow } from './read-window.ts'
import { provingRows } from './reading.ts'
import type { FinalVerdict, Reading } from './reading.ts'

/** The server reads days in another way than before: a finding, and the end of narrow questions. */
export const CALENDAR_CHANGED = 'calendar_changed'

export interface ReadDays {
  verdict: FinalVerdict
  /** What was asked for in the end. */
  wire: WireRange
  /** Of a narrow answer: how its rows show that the days were read. */
  calendar: string | undefined
}

/** The newest window ends where the list ends, and shows little; sparse lists never show much. */
const MOST_LEADERS = 3

/**
 * Reads a window of an endpoint that takes calendar days until it is proven or given up. Where
 * nothing is known of its days, a few records are asked for first; where these show nothing, one
 * window goes first. What they show saves all others from asking for days to spare.
 */
export async function readDays(context: ReadContext, reading: Reading): Promise<ReadDays> {
  const { endpoint, window } = context
  endpoint.newestEndMs = Math.max(endpoint.newestEndMs, window.endMs)
  const recalled = endpoint.calendar ?? (await recallCalendar(context))
  // Another window may have learned more meanwhile.
  endpoint.calendar ??= recalled
  // Where the list may end, days to spare are asked for anyway.
  if (showsLittle(context)) return await readUntilShown(context, reading)
  if (isUnknown(endpoint)) await askForEdges(context, reading)
  const release = await takeTurn(context)
  try {
    return await readUntilShown(context, reading)
  } finally {
    release()
  }
}

/** One window asks, and all others wait; where it fails or is stopped, that is its own trouble. */
async function askForEdges(context: ReadContext, reading: Reading): Promise<void> {
  const { endpoint } = context
  if (endpoint.probe !== undefined) return endpoint.probe
  const asking = probeCalendar(context, reading)
  endpoint.probe = asking.catch(() => void (endpoint.probe = undefined))
  await asking
}

const isUnknown = ({ calendar }: Endpoint): boolean =>
  calendar === undefined || calendar.possible.length === ALL_DAY_INTERPRETATIONS.length

/** Waits for the window that goes first; answers what to call when this one has been read. */
async function takeTurn({ endpoint }: ReadContext): Promise<() => void> {
  const { leader } = endpoint
  while (isUnknown(endpoint) && leader.reading !== undefined) await leader.reading
  if (!isUnknown(endpoint) || leader.windows >= MOST_LEADERS) return () => {}
  const { promise, resolve } = Promise.withResolvers<void>()
  leader.windows++
  leader.reading = promise
  return () => {
    leader.reading = undefined
    resolve()
  }
}

async function readUntilShown(context: ReadContext, reading: Reading): Promise<ReadDays> {
  const { window, timeZone } = context
  const widest = daysToAsk(window, timeZone, ALL_DAY_INTERPRETATIONS)
  reading.asked ??= chooseDays(context, widest)
  for (;;) {
    const { asked } = reading
    const wire = rangeOfDays(asked, timeZone)
    const verdict = await readWindow({ ...context, wire }, reading)
    if (verdict.status !== 'proven') return { verdict, wire, calendar: undefined }
    const rows = provingRows(reading, context.stream).map(({ times = [] }) => times)
    const possible = possibleInterpretations(rows, asked, timeZone)
    await learn(context, reading, rows, possible)
    if (sameDays(asked, widest)) return { verdict, wire, calendar: undefined }
    if (possible.length > 0 && holdsWindow(window, asked, timeZone, possible))
      return { verdict, wire, calendar: possible.map(describeInterpretation).join(' or ') }
    // Its rows do not show that this was all. What was read is real and stays.
    reading.asked = widest
    reading.passes = []
  }
}

const sameDays = (a: AskedDays, b: AskedDays): boolean => a.from === b.from && a.to === b.to

/** What was enough the last time. */
function chooseDays(context: ReadContext, widest: AskedDays): AskedDays {
  const { window, timeZone, endpoint } = context
  if (endpoint.calendar?.isNarrow !== true || showsLittle(context)) return widest
  return daysToAsk(window, timeZone, endpoint.calendar.possible)
}

/** Where the list ends, and around now, there are no rows that could show how days are read. */
const showsLittle = ({ window, endpoint, now }: ReadContext): boolean =>
  window.endMs >= endpoint.newestEndMs || window.endMs > now() - DAY_MS

/** Learns from the rows of an answer, whatever was asked; a contradiction ends all of it. */
async function learn(
  context: ReadContext,
  reading: Reading,
  rows: RowTimes,
  possible: readonly DayInterpretation[],
): Promise<void> {
  const { endpoint } = context
  const { asked = daysToAsk(context.window, context.timeZone, ALL_DAY_INTERPRETATIONS) } = reading
  const before = endpoint.calendar?.possible ?? ALL_DAY_INTERPRETATIONS
  const now = before.filter(one => possible.includes(one))
  if (now.length > 0) {
    const wasNarrow = endpoint.calendar?.isNarrow === true && showsLittle(context)
    endpoint.calendar = {
      possible: now,
      isNarrow: wasNarrow || wouldBeEnough(context, rows, now),
    }
    if (now.length < before.length) await keepCalendar(context, asked, now)
    return
  }
  endpoint.calendar = { possible: ALL_DAY_INTERPRETATIONS, isNarrow: false }
  // By none of their times do these rows belong to the days: they say nothing of them.
  if (possible.length === 0) return
  const detail =
    `answers ${possible.map(describeInterpretation).join(' or ')}; ` +
    `before: ${before.map(describeInterpretation).join(' or ')}`
  reading.findings.set(CALENDAR_CHANGED, detail)
  await keepCalendar(context, asked, ALL_DAY_INTERPRETATIONS)
}

/** Whether the rows of a narrow answer would have shown that it holds the whole window. */
function wouldBeEnough(
  { window, timeZone }: ReadContext,
  rows: RowTimes,
  readings: readonly DayInterpretation[],
): boolean {
  const narrow = daysToAsk(window, timeZone, readings)
  const shown = readings.reduce((left, reading) => rowsHeld(left, narrow, timeZone, reading), rows)
  return holdsWindow(window, narrow, timeZone, possibleInterpretations(shown, narrow, timeZone))
}
