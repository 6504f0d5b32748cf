import { dayOf } from '../calendar/clock.ts'
/** What is known of an API's days: what a few records show, kept from one run to the next. */
import {
  ALL_DAY_INTERPRETATIONS,
  describeInterpretation,
  possibleInterpretations,
} from '../calendar/day-interpretations.ts'
import type { AskedDays, DayInterpretation, RowTimes } from '../calendar/day-interpretations.ts'
import { addDays, toIso } from '../calendar/days.ts'
import { rangeOfDays } from '../calendar/windows.ts'
import type { KnownFact } from '../connectors/destination/behaviours.ts'
import type { KnownCalendar } from '../connectors/partner/endpoint.ts'
import { PartnerError } from '../errors.ts'
import type { ReadContext } from './context.ts'
import { requestPage } from './reading.ts'
import type { Reading } from './reading.ts'

/** Names of facts; the doctor writes the same. */
const END = 'end of a range'
const ZONE = 'zone of days'

/** What earlier runs, or the doctor, found out. A fact of another value leaves everything open. */
export async function recallCalendar({
  store,
  stream,
  destination,
}: ReadContext): Promise<KnownCalendar> {
  const facts = (await destination.behaviours.of(store)).filter(fact => fact.stream === stream.name)
  const valueOf = (name: string): string | undefined =>
    facts.find(fact => fact.name === name)?.value
  const [end, zone] = [valueOf(END), valueOf(ZONE)]
  const possible = ALL_DAY_INTERPRETATIONS.filter(
    reading =>
      (end === undefined || !ENDS.includes(end) || reading.end === end) &&
      (zone === undefined || !Object.values(ZONES).includes(zone) || ZONES[reading.zone] === zone),
  )
  return { possible, isNarrow: possible.length === 1 }
}

const ENDS: readonly string[] = ['inclusive', 'exclusive']
const ZONES: Readonly<Record<DayInterpretation['zone'], string>> = {
  store: "the store's",
  UTC: 'UTC',
}

/** For the next run; `asked` are the days whose rows have shown it. */
export async function keepCalendar(
  { store, stream, destination, now }: ReadContext,
  asked: AskedDays,
  possible: readonly DayInterpretation[],
): Promise<void> {
  const only = (values: readonly string[]): string => {
    const distinct = [...new Set(values)]
    if (distinct.length === 1) return distinct[0]!
    return possible === ALL_DAY_INTERPRETATIONS ? 'not constant' : 'unknown'
  }
  const fact = (name: string, value: string): KnownFact => ({
    stream: stream.name,
    name,
    value,
    evidence:
      `rows of ${asked.from} to ${asked.to}, as asked, are possible with: ` +
      possible.map(describeInterpretation).join(' or '),
    seenAt: toIso(now()),
  })
  await destination.behaviours.keep(store, [
    fact(END, only(possible.map(({ end }) => end))),
    fact(ZONE, only(possible.map(({ zone }) => ZONES[zone]))),
  ])
}

/** One of a few may have been edited, or opened the day before. */
const A_FEW = 10

/**
 * Asks for the edges of the window's last two days, where records stand near midnight, and keeps
 * what they show. It only chooses what to ask first; each window is proven by its own rows. Learns
 * nothing where that would not be worth its requests, and where the API fails: the window itself
 * will say so.
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
