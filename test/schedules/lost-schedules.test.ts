import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS, toIso } from '../../calendar/days.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { readDue } from '../../schedules/read-due.ts'
import { asSqlite } from '../connectors/sqlite/as-sqlite.ts'
import { NOTHING_SCHEDULED } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning()
})
afterAll(() => running.close())

test('nights that were due while Temporal had lost its schedules are told as missed', async () => {
  const schedules = { ...NOTHING_SCHEDULED, nightly: { at: '03:00' } }
  const config = running.reconfigure({ schedules })
  const apply = () => applySchedules(running.worker, config, () => {}, new AbortController().signal)
  const { destination } = running.worker.dependencies
  const overdue = async (): Promise<string[]> => {
    const due = await readDue(destination, { nowMs: Date.now(), workerIsUp: true, open: [] })
    return due.filter(line => line.overdue).map(({ day }) => day)
  }
  await apply()
  expect(await overdue()).toEqual([])
  const { db, execute } = asSqlite(destination)
  const fiveDaysAgo = toIso(Date.now() - 5 * DAY_MS)
  await execute(db.updateTable('schedules').set({ since: fiveDaysAgo }).compile())
  const missed = await overdue()
  expect(missed.length).toBeGreaterThan(3)
  await running.worker.client.schedule.getHandle('nightly/downtown').delete()
  await apply()
  expect(await overdue()).toEqual(missed)
})
