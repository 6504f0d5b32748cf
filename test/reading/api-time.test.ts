import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { checkDay } from '../../activities/check-day.ts'
import { createDependencies } from '../../activities/dependencies.ts'
import type { Dependencies } from '../../activities/dependencies.ts'
import { identifyStore } from '../../activities/identify-store.ts'
import { planWindows } from '../../activities/plan-windows.ts'
import { DAY_MS, fromIso, toIso } from '../../calendar/days.ts'
import { batches } from '../../connectors/partner/streams/batches.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { findNotProven } from '../../reading/asked-range.ts'

const STORE = 'downtown'
const TWENTY_DAYS_MS = 20 * DAY_MS
const stop: (() => unknown)[] = []
afterEach(async () => {
  for (const step of stop.splice(0).reverse()) await step()
})

/** An API whose clock is right, asked by a machine whose clock is ahead by so much. */
async function startAhead(aheadMs: number): Promise<Dependencies> {
  const server = createServer((_, response) => {
    response.sendDate = false
    response.writeHead(200, {
      'content-type': 'application/json',
      date: new Date(Date.now() - aheadMs).toUTCString(),
    })
    response.end('{"shop":{"id":"S1","companyId":"C1","timeZone":"UTC"}}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stop.push(() => server.close())
  const path = join(mkdtempSync(join(tmpdir(), 'tillage-clock-')), 'tillage.db')
  const destination = await openDestination(path, [batches])
  const dependencies = createDependencies(
    destination,
    [batches],
    [
      {
        id: STORE,
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        partnerKey: 'p',
        developerKey: 'd',
        timeZone: undefined,
        limits: { concurrency: 2, requestsPerSecond: 100 },
      },
    ],
    () => Promise.reject(new Error('no files here')),
  )
  stop.push(() => dependencies.close())
  await identifyStore(dependencies, { store: STORE }, new AbortController().signal)
  return dependencies
}

const plan = (dependencies: Dependencies): ReturnType<typeof planWindows> =>
  planWindows(dependencies, { store: STORE, stream: batches.name, timeZone: 'UTC' })

const day = {
  kind: 'nightly' as const,
  store: STORE,
  day: '2026-03-08',
  dayStart: '2026-03-08T00:00:00.000Z',
  dayEnd: '2026-03-09T00:00:00.000Z',
  from: '2026-03-08',
  to: '2026-03-09',
  deadline: undefined,
  estimateMs: 0,
}

describe('a clock that is ahead of the API', () => {
  it('plans no window beyond the time of the API', async () => {
    const ahead = await startAhead(TWENTY_DAYS_MS)
    const { range } = await plan(ahead)
    const apiNowMs = Date.now() - TWENTY_DAYS_MS
    expect(fromIso(range.end)).toBeLessThanOrEqual(apiNowMs + 60_000)
    const { range: right } = await plan(await startAhead(0))
    expect(fromIso(right.end)).toBeGreaterThan(apiNowMs + DAY_MS)
  })

  it('is kept as a fact and a finding, and holds nights up with the reason', async () => {
    const { destination, ...ahead } = await startAhead(TWENTY_DAYS_MS)
    expect((await destination.findings.of(STORE)).map(({ code }) => code)).toEqual(['clock_skew'])
    expect(await destination.behaviours.of(STORE)).toMatchObject([
      { evidence: expect.stringContaining('20 days ahead of') as string },
    ])
    const check = await checkDay({ destination, ...ahead }, { run: day, streams: [batches.name] })
    expect(check.missing).toEqual([batches.name])
    expect(check.why).toContain('20 days ahead of')
  })

  it('leaves days that were asked for unread, and a run says so', async () => {
    const inDays = (days: number): string => toIso(Date.now() + days * DAY_MS).slice(0, 10)
    const asked = { store: STORE, stream: batches.name, from: inDays(-3), startedMs: Date.now() }
    const ahead = await startAhead(TWENTY_DAYS_MS)
    expect(await findNotProven(ahead, { ...asked, to: inDays(-1) })).toMatchObject([
      { status: 'never read' },
    ])
    // What has not come for this machine either was not asked for.
    const tomorrow = { ...asked, from: inDays(1), to: inDays(2) }
    expect(await findNotProven(ahead, tomorrow)).toEqual([])
  })

  it('of seconds is not reported and delays nothing', async () => {
    const fine = await startAhead(5_000)
    expect(await fine.destination.findings.of(STORE)).toEqual([])
    const check = await checkDay(fine, { run: day, streams: [batches.name] })
    expect(check.why).toContain('never read')
  })

  it('leaves ledger rows of a time that has not come, and they count as never read', async () => {
    const { destination } = await startAhead(0)
    const commit = (start: number, end: number, readAt: number): Promise<unknown> =>
      destination.windows.commit({
        reading: `${start}`,
        store: STORE,
        stream: batches.name,
        window: { start: toIso(start), end: toIso(end) },
        status: 'proven',
        evidence: {},
        superseded: {},
        fetched: 0,
        findings: [],
        readAt: toIso(readAt),
      })
    const now = Date.now()
    await commit(now - 3 * DAY_MS, now - 2 * DAY_MS, now - DAY_MS)
    expect(await destination.ledger.windows(STORE, batches.name)).toHaveLength(1)
    await commit(now - 2 * DAY_MS, now + TWENTY_DAYS_MS, now + TWENTY_DAYS_MS)
    await commit(now - 10 * DAY_MS, now - 9 * DAY_MS, now + TWENTY_DAYS_MS)
    expect(await destination.ledger.windows(STORE, batches.name)).toHaveLength(1)
  })
})

describe('what a run is said to have proven', () => {
  it('is what the ledger holds of the asked range, whatever a workflow answers', async () => {
    const dependencies = await startAhead(0)
    const asked = { store: STORE, stream: batches.name, startedMs: Date.now() }
    expect(await findNotProven(dependencies, asked)).toMatchObject([{ status: 'never read' }])
    await dependencies.destination.windows.commit({
      reading: 'r',
      store: STORE,
      stream: batches.name,
      window: { start: toIso(Date.now() - 5 * DAY_MS), end: toIso(Date.now()) },
      status: 'proven',
      evidence: {},
      superseded: {},
      fetched: 0,
      findings: [],
      readAt: toIso(Date.now()),
    })
    expect(await findNotProven(dependencies, asked)).toEqual([])
    expect(await findNotProven(dependencies, { ...asked, from: '2026-01-01' })).toHaveLength(1)
  })

  it('is nothing where the database has lost all of it, the store and its zone included', async () => {
    const { destination, ...rest } = await startAhead(0)
    const stores = { ...destination.stores, find: async () => undefined }
    const lost = { ...rest, destination: { ...destination, stores } }
    const asked = { store: STORE, stream: batches.name, startedMs: Date.now() }
    expect(await findNotProven(lost, asked)).toMatchObject([{ status: 'never read' }])
  })
})
