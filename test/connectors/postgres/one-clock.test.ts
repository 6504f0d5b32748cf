import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fromIso, toIso } from '../../../calendar/days.ts'
import type { OutboundStore } from '../../../connectors/destination/outbound.ts'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { openOutboundStore } from '../../../connectors/postgres/tables/outbound.ts'
import { isAlive } from '../../../outbound/run.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { runNamed } from '../../outbound/run-named.ts'

afterEach(() => void vi.restoreAllMocks())

const WRONG_BY_MS = [-30_000, 30_000]
const RUNNER = { user: 'kim', host: 'other', pid: 1, isRunning: () => false }

/** Of a machine whose clock is wrong by so much. */
function clockWrongBy(ms: number): void {
  const right = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => right() + ms)
}

const inTenSeconds = (): string => toIso(Date.now() + 10_000)

const newRun = () => ({
  ...runNamed('push-1', 'apply-1', toIso(Date.now())),
  aliveUntil: inTenSeconds(),
})

let url: string
let store: OutboundStore
beforeEach(async () => {
  ;({ url } = await postgresForTests())
  await postgres.migrate(url, [])
  store = openOutboundStore(url)
})
afterEach(() => store.close())

/** By the clock of this moment; answers until when it is told to be alive. */
async function expectAliveForTenSeconds(): Promise<string> {
  const [seen] = await store.runs('push-1')
  expect(isAlive(seen!, RUNNER, Date.now())).toBe(true)
  expect(isAlive(seen!, RUNNER, Date.now() + 11_000)).toBe(false)
  return seen!.aliveUntil
}

async function keptInTable(): Promise<string> {
  const [kept] = await withSql(url, sql =>
    sql.all<{ at: string }>('SELECT alive_until AS at FROM outbound_runs'),
  )
  return kept!.at
}

const apartMs = (one: string, other: string): number => Math.abs(fromIso(one) - fromIso(other))

it.each(WRONG_BY_MS)(
  'a run is alive as long as it renews, also for a machine whose clock is wrong by %d ms, and no longer',
  async wrongByMs => {
    const run = newRun()
    expect(await store.beginRun(run, null)).toBe(true)
    expect(await store.renewRun(run.run, inTenSeconds())).toBe(true)
    clockWrongBy(wrongByMs)
    const seen = await expectAliveForTenSeconds()
    // What lies in the table would have been read otherwise.
    expect(apartMs(await keptInTable(), seen)).toBeGreaterThan(25_000)
  },
)

it.each(WRONG_BY_MS)(
  'a run of a machine whose clock is wrong by %d ms is alive as long as it renews, and no longer',
  async wrongByMs => {
    clockWrongBy(wrongByMs)
    const run = newRun()
    expect(await store.beginRun(run, null)).toBe(true)
    vi.restoreAllMocks()
    // What the machine said would have been kept otherwise.
    expect(apartMs(await expectAliveForTenSeconds(), run.aliveUntil)).toBeGreaterThan(25_000)
    clockWrongBy(wrongByMs)
    const until = inTenSeconds()
    expect(await store.renewRun(run.run, until)).toBe(true)
    vi.restoreAllMocks()
    expect(apartMs(await expectAliveForTenSeconds(), until)).toBeGreaterThan(25_000)
  },
)
