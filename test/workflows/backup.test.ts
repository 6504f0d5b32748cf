import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS, toIso } from '../../calendar/days.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { readDue } from '../../schedules/read-due.ts'
import { judgeRuns } from '../../standing/judge-runs.ts'
import { waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
let told: string[] = []
beforeAll(async () => {
  running = await startRunning({ stores: 2 }, { backup: { to: './backups', keep: 3 } })
  running.worker.dependencies.onRunEvent = ({ kind, store, event, detail }) =>
    told.push(`${kind} ${store} ${event} ${detail}`)
  const { signal } = new AbortController()
  await applySchedules(running.worker, running.config, () => {}, signal)
})
afterAll(() => running.close())

const folder = (): string => join(dirname(running.config.file), 'backups')

const secondNow = (): number => Math.floor(Date.now() / 1_000)
/** In which the newest backup was over. */
let lastSecond = 0

async function trigger(): Promise<string> {
  const schedule = running.worker.client.schedule.getHandle('backup/downtown')
  // While one runs, another is not begun: it tells what came of it a moment before it ends. Nor is
  // one in the same second, after which Temporal names what a schedule starts.
  const isIdle = async (): Promise<boolean> =>
    secondNow() > lastSecond && (await schedule.describe()).info.runningActions.length === 0
  await waitFor(isIdle, 'the backup before it to be over')
  told = []
  await schedule.trigger()
  await waitFor(() => told.length > 1, 'the backup to end')
  lastSecond = secondNow()
  return told[1]!
}

async function notices(): Promise<string[]> {
  const database = await openReadOnly(running.config, streams)
  try {
    const due = await readDue(database, { nowMs: Date.now(), workerIsUp: true })
    const newest = await database.runs.newest('backup', 'downtown', 1)
    return judgeRuns(due, newest).map(({ kind, severity }) => `${kind} ${severity}`)
  } finally {
    await database.close()
  }
}

test('one schedule copies the whole database, on the clock of the first store', async () => {
  const ids: string[] = []
  for await (const { scheduleId } of running.worker.client.schedule.list()) ids.push(scheduleId)
  expect(ids.filter(id => id.startsWith('backup/'))).toEqual(['backup/downtown'])
})

test('a scheduled backup is verified, and one that fails is told until the next is good', async () => {
  running.worker.dependencies.now = Date.now
  expect(await trigger()).toMatch(/^backup downtown failed USAGE: there is no folder .*backups/)
  expect(await notices()).toEqual(['backup_old warning'])

  mkdirSync(folder())
  expect(await trigger()).toMatch(/^backup downtown done \d+ MB, verified$/)
  expect(readdirSync(folder()).filter(name => name.endsWith('.db'))).toHaveLength(1)
  expect(await notices()).toEqual([])
  rmSync(folder(), { recursive: true })
})

test('one that is good makes up for those that were slept over before it', async () => {
  const database = new Database(running.config.database)
  database.pragma('busy_timeout = 60000')
  database
    .prepare("UPDATE schedules SET since = ? WHERE kind = 'backup'")
    .run(toIso(Date.now() - 3 * DAY_MS))
  database.prepare("DELETE FROM runs WHERE kind = 'backup'").run()
  database.close()
  expect(new Set(await notices())).toEqual(new Set(['backup_old warning']))
  mkdirSync(folder())
  expect(await trigger()).toMatch(/^backup downtown done/)
  expect(await notices()).toEqual([])
})
