import { dayOf } from '../../calendar/clock.ts'
import { DAY_MS, addDays, monthFirst } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
import { wireRange } from '../../calendar/windows.ts'
import { PartnerError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import {
  calendarFacts,
  endOfRangeFact,
  factsOfPage,
  offsetFact,
  OR_MORE,
  refusalFact,
  refusedList,
} from './behaviour.ts'
import type { Fact } from './behaviour.ts'
import {
  findLargestLimit,
  LARGEST_LIMIT,
  limitEvidence,
  refusesParameters,
} from './largest-limit.ts'
import { pageReaderOf } from './read-page.ts'
import type { Page } from './read-page.ts'
import type { SeenRow } from './read-rows.ts'

/** One GET of the store that is probed. */
export type ProbeRequest = (
  path: string,
  query: Readonly<Record<string, string>>,
) => Promise<Buffer>

/** More than any documented cap. */
const MANY = 1000

/**
 * Asks one list some ten questions, all of them reads, and concludes what it does where the
 * documentation is silent. Where it stops answering, what it has shown until then counts.
 */
export async function probeList(
  ask: ProbeRequest,
  stream: Stream,
  around: Interval,
  timeZone: string,
): Promise<Fact[]> {
  const facts: Fact[] = []
  try {
    await gatherFacts({ ask, stream, around, timeZone }, facts)
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error
    if (facts.length === 0) facts.push(refusedList(error.refused, error.code))
  }
  return facts
}

interface Probe {
  ask: ProbeRequest
  stream: Stream
  around: Interval
  timeZone: string
}

async function gatherFacts({ ask, stream, around, timeZone }: Probe, facts: Fact[]): Promise<void> {
  const readPage = pageReaderOf(stream)
  const wire = wireRange(around, timeZone, stream.windowing)
  const page = async (query: Readonly<Record<string, string>>): Promise<Page> =>
    readPage(await ask(stream.path, query), wire.widest)
  const askForRows = (limit: number): Promise<Page> => page({ ...wire.query, limit: String(limit) })
  const { first, limit, fact } = await largestPage(askForRows)
  const firstIds = first.rows.map(({ id }) => id)
  facts.push(
    { name: 'offered', value: 'yes', evidence: `${first.rows.length} rows` },
    fact,
    ...factsOfPage(first, limit),
  )
  const shifted = async (name: string): Promise<string[]> =>
    (await page({ ...wire.query, limit: '2', [name]: '1' })).rows.map(({ id }) => id)
  facts.push(offsetFact(firstIds, await shifted('skip'), await shifted('start')))
  const pageOf: AskPage = query => page({ ...query, limit: String(limit) })
  if (stream.windowing === 'days') facts.push(...(await probeDays(pageOf, first.rows, timeZone)))
  if (stream.windowing === 'milliseconds') facts.push(await probeMilliseconds(pageOf, first.rows))
  if (stream.windowing === 'full-refresh') return
  const refused = await refusalOf(() => ask(stream.path, eightDays(wire.query, stream)))
  facts.push(refusalFact('range of 8 days', refused))
}

/** A page of the largest size that is taken. */
type AskPage = (query: Record<string, string>) => Promise<Page>

/** The largest page that the list accepts. */
async function largestPage(
  ask: (limit: number) => Promise<Page>,
): Promise<{ first: Page; limit: number; fact: Fact }> {
  const name = LARGEST_LIMIT
  try {
    const first = await ask(MANY)
    const fact = { name, value: `${MANY}${OR_MORE}`, evidence: `limit=${MANY} was answered` }
    return { first, limit: MANY, fact }
  } catch (error) {
    const limit = refusesParameters(error) ? await findLargestLimit(MANY, ask) : undefined
    if (limit === undefined) throw error
    const evidence = limitEvidence(MANY, error as PartnerError, limit)
    return { first: await ask(limit), limit, fact: { name, value: String(limit), evidence } }
  }
}

/**
 * What a path that does not exist is answered with: the error shape, without disturbing anything.
 */
export const probeErrors = async (ask: ProbeRequest): Promise<Fact> =>
  refusalFact('unknown path', await refusalOf(() => ask('/api/v1/partner/no-such-path', {})))

/**
 * A record whose day differs between the store's zone and UTC tells the most; any other tells where
 * a range ends.
 */
async function probeDays(
  page: AskPage,
  rows: readonly SeenRow[],
  timeZone: string,
): Promise<Fact[]> {
  const dated = rows.filter((row): row is SeenRow & { modified: number } => row.modified !== null)
  const onAnotherDay = dated.find(
    ({ modified }) => dayOf(modified, timeZone) !== dayOf(modified, 'UTC'),
  )
  const record = onAnotherDay ?? dated[0]
  if (record === undefined)
    return calendarFacts({
      zonesDiffer: false,
      localDay: false,
      utcDay: false,
      localDayToNext: false,
      utcDayToNext: false,
    })
  const comes = async (from: string, to: string): Promise<boolean> => {
    const asked = { startDate: monthFirst(from), endDate: monthFirst(to) }
    // The page that it stands on is not known, so the whole range is paged through, up to 40 pages.
    for (let offset = 0, pages = 0; pages < 40; pages++) {
      const { rows: found, total } = await page({
        ...asked,
        skip: String(offset),
        start: String(offset),
      })
      if (found.some(({ id }) => id === record.id)) return true
      offset += found.length
      if (found.length === 0 || (total !== null && offset >= total)) return false
    }
    return false
  }
  const [local, utc] = [dayOf(record.modified, timeZone), dayOf(record.modified, 'UTC')]
  return calendarFacts({
    zonesDiffer: onAnotherDay !== undefined,
    localDay: await comes(local, local),
    utcDay: await comes(utc, utc),
    localDayToNext: await comes(local, addDays(local, 1)),
    utcDayToNext: await comes(utc, addDays(utc, 1)),
  })
}

async function probeMilliseconds(page: AskPage, rows: readonly SeenRow[]): Promise<Fact> {
  const record = rows.find(({ modified }) => modified !== null)
  if (record?.modified === undefined || record.modified === null)
    return endOfRangeFact(false, false)
  const { id, modified } = record
  const comes = async (endMs: number): Promise<boolean> => {
    const { rows: found } = await page({
      startDate: String(modified - 1000),
      endDate: String(endMs),
    })
    return found.some(row => row.id === id)
  }
  return endOfRangeFact(await comes(modified), await comes(modified + 1))
}

/** The same range, ended eight days after its start. */
function eightDays(
  query: Readonly<Record<string, string>>,
  stream: Stream,
): Record<string, string> {
  const start = query['startDate']!
  const startMs = stream.windowing === 'days' ? Date.parse(`${start} UTC`) : Number(start)
  const endMs = startMs + 8 * DAY_MS
  return {
    ...query,
    endDate:
      stream.windowing === 'days' ? monthFirst(new Date(endMs).toISOString()) : String(endMs),
    limit: '1',
  }
}

async function refusalOf(
  request: () => Promise<unknown>,
): Promise<{ status: number; shape: string } | undefined> {
  try {
    await request()
    return undefined
  } catch (error) {
    if (error instanceof PartnerError && error.refused !== undefined) return error.refused
    throw error
  }
}
