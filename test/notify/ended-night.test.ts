import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, toIso } from '../../calendar/days.ts'
import { readOpen } from '../../commands/up/read-open.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { openAlarms } from '../../standing/alarms.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning(
    { days: 1, transactionsPerDay: 1 },
    { schedules: { nightly: { at: '03:00' } } },
  )
})
afterAll(() => running.close())

test('whoever is called for a night that failed is called for one that was ended in Temporal, too', async () => {
  const { worker, config } = running
  await applySchedules(worker, config, () => {}, new AbortController().signal)
  const startedMs = Date.now()
  const at = toIso(startedMs)
  const night = { kind: 'nightly', store: config.stores[0]!.id, day: at.slice(0, 10) } as const
  await worker.dependencies.destination.runs.begin({
    ...night,
    dueAt: at,
    deadlineAt: toIso(startedMs + HOUR_MS),
    startedAt: at,
  })
  worker.dependencies.now = () => startedMs + 5 * MINUTE_MS
  const alarms = async (open: string[]): Promise<string[]> => {
    const knownWorker = () => ({ isUp: true, stranded: [], open })
    const { notices, nowMs } = await readOpen({ config, worker, knownWorker })
    return openAlarms(notices, nowMs).map(({ kind }) => kind)
  }
  expect(await alarms([`night/${night.store}/${night.day}`])).not.toContain('night_failed')
  expect(await alarms([])).toContain('night_failed')
})
