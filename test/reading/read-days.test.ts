import { afterAll, describe, expect, it } from 'vitest'
import { planWindows } from '../../activities/plan-windows.ts'
import { dayStart } from '../../calendar/clock.ts'
import { HOUR_MS } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
import { tile } from '../../calendar/windows.ts'
import { startRecords } from '../activities/record-server.ts'
import type { Rec, Synced } from '../activities/record-server.ts'
import { SERVER_READINGS } from '../calendar/server-readings.ts'
import { LONG, sized } from '../helpers/size.ts'
import { createRandom } from './moving-list.ts'

const open: Synced[] = []
const start = async (timeZone: string, pageCap: number): Promise<Synced> => {
  const api = await startRecords({ windowing: 'days', pageCap }, timeZone)
  open.push(api)
  return api
}
afterAll(() => Promise.all(open.map(api => api.close())))

const ZONES = ['America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland']
/** Weeks in which clocks change. */
const [FROM, TO] = LONG ? ['2025-10-20', '2025-11-20'] : ['2025-10-31', '2025-11-11']
const rangeOf = (timeZone: string): Interval => ({
  startMs: dayStart(FROM, timeZone),
  endMs: dayStart(TO, timeZone),
})

/** Records each so many hours on average, from before the range until after it. */
function scatter({ startMs, endMs }: Interval, everyHours: number, random: () => number): Rec[] {
  const records: Rec[] = []
  for (let ms = startMs - 90 * HOUR_MS; ms < endMs + 90 * HOUR_MS;) {
    ms += Math.ceil(random() * 2 * everyHours * HOUR_MS)
    records.push({ id: `t${String(records.length).padStart(5, '0')}`, modified: ms })
  }
  return records
}

const inWindow = (records: readonly Rec[], { startMs, endMs }: Interval): string[] =>
  records.filter(({ modified }) => modified >= startMs && modified < endMs).map(({ id }) => id)

/** Reads the windows of the range, newest first; answers those that were proven. */
async function readAll(api: Synced, timeZone: string): Promise<Interval[]> {
  const proven: Interval[] = []
  for (const window of tile(rangeOf(timeZone), timeZone, 'days').toReversed()) {
    const { status } = await api.sync(window.startMs, window.endMs)
    if (status === 'proven') proven.push(window)
  }
  return proven
}

describe('windows of days', () => {
  it.each(ZONES)(
    'that are proven hold each of their rows, however days are read, sparse or dense, and if the server changes its mind (%s)',
    async timeZone => {
      const { int, share } = createRandom(11)
      let proven = 0
      for (let run = 0; run < sized(4, 100); run++) {
        const api = await start(timeZone, 40)
        const everyHours = [0.5, 3, 20, 70][run % 4]!
        api.server.records = scatter(rangeOf(timeZone), everyHours, () => int(1, 1000) / 1000)
        let reading = SERVER_READINGS[int(0, 3)]!
        api.server.readsDays = () => {
          if (run % 2 === 1 && share() < 0.2) reading = SERVER_READINGS[int(0, 3)]!
          return reading
        }
        for (const window of await readAll(api, timeZone)) {
          proven++
          const { alive } = await api.rows()
          const expected = inWindow(api.server.records, window)
          expect(expected.filter(id => !alive.includes(id))).toEqual([])
        }
      }
      expect(proven).toBeGreaterThan(sized(5, 10))
    },
  )

  it.each(SERVER_READINGS.filter(({ name }) => name.endsWith('included')))(
    'of a dense list take hardly more requests than pages once the calendar is known: $name',
    async reading => {
      const timeZone = 'America/Los_Angeles'
      const api = await start(timeZone, 5)
      api.server.readsDays = () => reading
      api.server.records = scatter(rangeOf(timeZone), 0.5, () => 0.5)
      const windows = tile(rangeOf(timeZone), timeZone, 'days').toReversed()
      const [first, ...others] = windows
      await api.sync(first!.startMs, first!.endMs)
      for (const window of others) {
        const before = api.server.asked.length
        expect(await api.sync(window.startMs, window.endMs)).toMatchObject({ status: 'proven' })
        const days = reading.name.startsWith('UTC') ? 8 : 0
        const rows = inWindow(api.server.records, {
          startMs: window.startMs - days * HOUR_MS,
          endMs: window.endMs + 2 * days * HOUR_MS,
        }).length
        // Pages of five rows, of which neighbours share one.
        expect(api.server.asked.length - before).toBeLessThanOrEqual(1.03 * (rows / 4) + 2)
      }
      const { behaviours } = api.dependencies.destination
      const facts = await behaviours.of('downtown')
      expect(facts.find(({ name }) => name === 'end of a range')?.value).toBe('inclusive')
      expect(facts.find(({ name }) => name === 'zone of days')?.value).toBe(
        reading.name.startsWith('UTC') ? 'UTC' : "the store's",
      )
    },
  )

  it.each(
    [ZONES[0]!, ZONES[2]!].flatMap(timeZone =>
      SERVER_READINGS.map(reading => ({ timeZone, reading })),
    ),
  )(
    'that start together on an unknown dense list take two requests more than on a known one: $reading.name in $timeZone',
    async ({ timeZone, reading }) => {
      const api = await start(timeZone, 20)
      api.server.readsDays = () => reading
      api.server.records = scatter(rangeOf(timeZone), 0.5, () => 0.5)
      const windows = tile(rangeOf(timeZone), timeZone, 'days').toReversed().slice(0, 4)
      const syncAll = async (): Promise<number> => {
        const before = api.server.asked.length
        const sync = ({ startMs, endMs }: Interval) => api.sync(startMs, endMs)
        const [newest, second, ...others] = windows
        // An older window may be the first to begin.
        const begun = sync(second!)
        await expect.poll(() => api.server.asked.length).toBeGreaterThan(before)
        const results = await Promise.all([begun, ...[newest!, ...others].map(sync)])
        expect(results.map(({ status }) => status)).toEqual(windows.map(() => 'proven'))
        return api.server.asked.length - before
      }
      await planWindows(api.dependencies, {
        store: 'downtown',
        stream: 'tickets',
        timeZone,
        from: FROM,
        to: TO,
      })
      const unknown = await syncAll()
      const known = await syncAll()
      expect(unknown).toBe(known + 2)
    },
  )

  it.each([
    { name: 'sparse', everyHours: 12, isRefused: false },
    { name: 'refused to be asked for its edges', everyHours: 0.5, isRefused: true },
  ])(
    'of a list that is $name are read with days to spare, after one request that showed nothing',
    async ({ everyHours, isRefused }) => {
      const timeZone = 'America/Los_Angeles'
      const api = await start(timeZone, 40)
      const [older, newest] = tile(rangeOf(timeZone), timeZone, 'days').slice(-2)
      await api.sync(newest!.startMs, newest!.endMs)
      const endpoint = api.dependencies
        .store('downtown')
        .endpoint(api.dependencies.stream('tickets'))
      const { calendar } = endpoint
      api.server.records = scatter(rangeOf(timeZone), everyHours, () => 0.5)
      const before = api.server.asked.length
      api.server.fails = () => isRefused && api.server.asked.length === before + 1
      expect(await api.sync(older!.startMs, older!.endMs)).toMatchObject({ status: 'proven' })
      const spare = { startMs: older!.startMs, endMs: older!.endMs + 48 * HOUR_MS }
      const pages = Math.ceil(inWindow(api.server.records, spare).length / 39)
      expect(calendar?.possible).toHaveLength(4)
      expect(api.server.asked.length - before).toBe(1 + pages + 1)
    },
  )

  it('that start together on an unknown list ask for two edges more than one after the other', async () => {
    const timeZone = 'America/Los_Angeles'
    const windows = tile(rangeOf(timeZone), timeZone, 'days').toReversed()
    const startDense = async (): Promise<Synced> => {
      const api = await start(timeZone, 5)
      api.server.records = scatter(rangeOf(timeZone), 0.5, () => 0.5)
      return api
    }
    const inTurns = await startDense()
    for (const { startMs, endMs } of windows) await inTurns.sync(startMs, endMs)
    const together = await startDense()
    const results = await Promise.all(
      windows.map(({ startMs, endMs }) => together.sync(startMs, endMs)),
    )
    expect(results.map(({ status }) => status)).toEqual(windows.map(() => 'proven'))
    expect(together.server.asked.length).toBe(inTurns.server.asked.length + 2)
  })

  it('are read where the one that asked for the edges is stopped, which is the only one that fails', async () => {
    const timeZone = 'America/Los_Angeles'
    const api = await start(timeZone, 5)
    api.server.records = scatter(rangeOf(timeZone), 0.5, () => 0.5)
    const { promise: held, resolve: answer } = Promise.withResolvers<void>()
    api.server.hold = () => held
    const stop = new AbortController()
    const [newest, asking, other] = tile(rangeOf(timeZone), timeZone, 'days').toReversed()
    const all = Promise.allSettled([
      api.sync(newest!.startMs, newest!.endMs),
      api.sync(asking!.startMs, asking!.endMs, stop.signal),
      api.sync(other!.startMs, other!.endMs),
    ])
    // The newest one's first page, and the first edge.
    await expect.poll(() => api.server.asked.length).toBe(2)
    stop.abort(new Error('stopped by the test'))
    answer()
    const ends = (await all).map(end => (end.status === 'rejected' ? end.status : end.value.status))
    expect(ends).toEqual(['proven', 'rejected', 'proven'])
  })

  it('are asked for with days to spare again, and say so, once the server contradicts what was known', async () => {
    const timeZone = 'America/Los_Angeles'
    const api = await start(timeZone, 40)
    api.server.records = scatter(rangeOf(timeZone), 0.5, () => 0.5)
    const [third, second, first] = tile(rangeOf(timeZone), timeZone, 'days').slice(0, 3)
    await api.sync(first!.startMs, first!.endMs)
    api.server.readsDays = () => SERVER_READINGS[2]!
    expect(await api.sync(second!.startMs, second!.endMs)).toMatchObject({
      status: 'proven',
      findings: expect.arrayContaining(['downtown/tickets/calendar_changed']) as string[],
    })
    await api.sync(third!.startMs, third!.endMs)
    const { alive } = await api.rows()
    for (const window of [first!, second!, third!])
      expect(alive).toEqual(expect.arrayContaining(inWindow(api.server.records, window)))
  })
})
