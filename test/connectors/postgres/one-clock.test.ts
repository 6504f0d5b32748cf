import { afterEach, expect, it, vi } from 'vitest'
import { fromIso, toIso } from '../../../calendar/days.ts'
import { withSql } from '../../../connectors/postgres/connection/with-connections.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { openOutboundStore } from '../../../connectors/postgres/tables/outbound.ts'
import { isAlive } from '../../../outbound/run.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

afterEach(() => void vi.restoreAllMocks())

const RUNNER = { user: 'kim', host: 'other', pid: 1, isRunning: () => false }

/** Of a machine whose clock is wrong by so much. */
function clockWrongBy(ms: number): void {
  const right = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => right() + ms)
}

it.each([-30_000, 30_000])(
  'a run is alive as long as it renews, also for a machine whose clock is wrong by %d ms, and no longer',
  async wrongByMs => {
    const { url } = await postgresForTests()
    await postgres.migrate(url, [])
    const store = openOutboundStore(url)
    const run = {
      plan: 'push-1',
      run: 'apply-1',
      act: 'apply' as const,
      user: 'kim',
      host: 'till-1',
      pid: 7,
      processStartedAt: null,
      startedAt: toIso(Date.now()),
      aliveUntil: toIso(Date.now() + 10_000),
      endedAt: null,
      outcome: null,
    }
    expect(await store.beginRun(run, null)).toBe(true)
    expect(await store.renewRun(run.run, toIso(Date.now() + 10_000))).toBe(true)
    clockWrongBy(wrongByMs)
    const [seen] = await store.runs(run.plan)
    expect(isAlive(seen!, RUNNER, Date.now())).toBe(true)
    expect(isAlive(seen!, RUNNER, Date.now() + 11_000)).toBe(false)
    const [kept] = await withSql(url, sql =>
      sql.all<{ at: string }>('SELECT alive_until AS at FROM outbound_runs'),
    )
    // What lies in the table would have been read otherwise.
    expect(Math.abs(fromIso(kept!.at) - fromIso(seen!.aliveUntil))).toBeGreaterThan(25_000)
    await store.close()
  },
)
