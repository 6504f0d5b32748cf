import { dayOf } from '../../calendar/clock.ts'
import { DAY_MS, addDays, monthFirst } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/interval.ts'
import { wireRange } from '../../calendar/windows.ts'
import { PartnerError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import {
  calendarFacts,
  endOfRangeFact,
  factsOfPage,
  offsetFact,
  refusalFact,
  refusedList,
} from './behaviour.ts'
import type { Fact } from './behaviour.ts'
import { createPageReader } from './read-page.ts'
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
 * documentation is silent.
 */
export async function probeList(
  ask: ProbeRequest,
  stream: Stream,
  around: Interval,
  timeZone: string,
): Promise<Fact[]> {
  const readPage = createPageReader(stream)
  const wire = wireRange(around, timeZone, stream.windowing)
  const page = async (query: Readonly<Record<string, string>>): Promise<Page> =>
    readPage(await ask(stream.path, query), wire.widest)
  try {
    const first = await page({ ...wire.query, limit: String(MANY) })
    const shifted = async (name: string): Promise<string[]> =>
      (await page({ ...wire.query, limit: '2', [name]: '1' })).rows.map(({ id }) => id)
    return [
      { name: 'offered', value: 'yes', evidence: `${first.rows.length} rows` },
      ...factsOfPage(first, MANY),
      offsetFact(
        first.rows.map(({ id }) => id),
        await shifted('skip'),
        await shifted('start'),
      ),
      ...(stream.windowing === 'days' ? await probeDays(page, first.rows, timeZone) : []),
      ...(stream.windowing === 'milliseconds' ? await probeMilliseconds(page, first.rows) : []),
      ...(stream.windowing === 'full-refresh'
        ? []
        : [
            refusalFact(
              'range of 8 days',
              await refusalOf(() => ask(stream.path, eightDays(wire.query, stream))),
            ),
          ]),
    ]
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error
    return [refusedList(error.refused, error.code)]
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
  page: (query: Record<string, string>) => Promise<Page>,
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
    const asked = { startDate: monthFirst(from), endDate: monthFirst(to), limit: String(MANY) }
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
  const next = addDays
  return calendarFacts({
    zonesDiffer: onAnotherDay !== undefined,
    localDay: await comes(local, local),
    utcDay: await comes(utc, utc),
    localDayToNext: await comes(local, next(local, 1)),
    utcDayToNext: await comes(utc, next(utc, 1)),
  })
}

async function probeMilliseconds(
  page: (query: Record<string, string>) => Promise<Page>,
  rows: readonly SeenRow[],
): Promise<Fact[]> {
  const record = rows.find(({ modified }) => modified !== null)
  if (record?.modified === undefined || record.modified === null)
    return [endOfRangeFact(false, false)]
  const { id, modified } = record
  const comes = async (endMs: number): Promise<boolean> =>
    (
      await page({
        startDate: String(modified - 1000),
        endDate: String(endMs),
        limit: String(MANY),
      })
    ).rows.some(row => row.id === id)
  return [endOfRangeFact(await comes(modified), await comes(modified + 1))]
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
