/**
 * What a few records show of how an API reads days: the first and the last ones of two busy days,
 * which stand near midnight. It only chooses what to ask first; each window is proven by its own
 * rows.
 */
import { dayOf } from '../calendar/clock.ts'
import {
  ALL_DAY_INTERPRETATIONS,
  possibleInterpretations,
} from '../calendar/day-interpretations.ts'
import type { AskedDays, RowTimes } from '../calendar/day-interpretations.ts'
import { addDays } from '../calendar/days.ts'
import { rangeOfDays } from '../calendar/windows.ts'
import { PartnerError } from '../errors.ts'
import { requestPage } from './ask-page.ts'
import type { ReadContext } from './context.ts'
import { keepCalendar } from './known-calendar.ts'
import type { Reading } from './reading.ts'

/** One of a few may have been edited, or opened the day before. */
const A_FEW = 10

/**
 * Asks for the edges of the window's last two days and keeps what they show. Learns nothing where
 * that would not be worth its requests, and where the API fails: the window itself will say so.
 */
export async function probeCalendar(context: ReadContext, reading: Reading): Promise<void> {
  const { endpoint, window, timeZone } = context
  const last = dayOf(window.endMs - 1, timeZone)
  const asked: AskedDays = { from: addDays(last, -1), to: last }
  const rows = await readEdges(context, reading, asked)
  const shown = possibleInterpretations(rows, asked, timeZone)
  const before = endpoint.calendar?.possible ?? ALL_DAY_INTERPRETATIONS
  const possible = before.filter(one => shown.includes(one))
  if (possible.length === 0 || possible.length === before.length) return
  endpoint.calendar = { possible, isNarrow: true }
  await keepCalendar(context, asked, possible)
}

/** The first and the last records of a list; none of one that a page can hold. */
async function readEdges(
  context: ReadContext,
  reading: Reading,
  asked: AskedDays,
): Promise<RowTimes> {
  const { endpoint, stream, timeZone } = context
  const wire = rangeOfDays(asked, timeZone)
  const list = { path: stream.path, query: {} }
  const readAt = async (offset: number) => {
    const place = { offset, limit: A_FEW }
    const answer = await requestPage({ ...context, wire }, reading, list, place)
    const { rows, total } = endpoint.readPage(answer, wire.widest)
    return { total, times: rows.map(({ times = [] }) => times) }
  }
  try {
    const first = await readAt(0)
    if (first.total === null || first.total <= endpoint.pageLimit) return []
    const last = await readAt(Math.max(0, first.total - first.times.length))
    return [...first.times, ...last.times]
  } catch (error) {
    if (error instanceof PartnerError) return []
    throw error
  }
}
