import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAuditLog } from '../../connectors/database.ts'
import { openConnection } from '../../connectors/sqlite/connection/open-connection.ts'
import { applyRetention } from '../../schedules/apply-retention.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning()
})
afterAll(() => running.close())

const QUIET = {
  nightly: { every: 'never' },
  sweep: { every: 'never' },
  check: { every: 'never' },
} as const
const apply = async (settings: object): Promise<string[]> => {
  const config = running.reconfigure({ schedules: QUIET, ...settings })
  const changes = await applySchedules(
    running.worker,
    config,
    () => {},
    new AbortController().signal,
  )
  return changes.map(({ id, change, now }) => `${id} ${change}: ${now}`)
}
const onDatabase = <Answer>(read: (connection: ReturnType<typeof openConnection>) => Answer) => {
  const connection = openConnection(running.config.database)
  try {
    return read(connection)
  } finally {
    connection.close()
  }
}
const discard = (store: string, days: number, raw: string): void =>
  onDatabase(connection => {
    connection
      .prepare(
        "INSERT INTO discarded_letters VALUES (?, 'members', 'k', 'r', ?, 's', 'e', 'f', ?, 'Ana', 'w')",
      )
      .run(store, raw, new Date(Date.now() - days * 86_400_000).toISOString())
  })
const onDisk = (text: string): boolean =>
  ['', '-wal'].some(
    suffix =>
      existsSync(`${running.config.database}${suffix}`) &&
      readFileSync(`${running.config.database}${suffix}`).includes(text),
  )

test('each night removes what is older than retention, of its own store only', async () => {
  expect(await apply({})).toEqual([])
  expect(await apply({ retention: { temporalDays: 9 } })).toEqual([])
  expect(await apply({ retention: { discardedLettersDays: 30 } })).toEqual([
    'upkeep/downtown created: every day at 06:30 (America/Los_Angeles)',
  ])
  discard('downtown', 40, 'a-letter-of-old')
  discard('downtown', 20, 'a-newer-letter')
  discard('elsewhere', 40, 'a-letter-of-another')
  expect(onDisk('a-letter-of-old')).toBe(true)

  const told: string[] = []
  running.worker.dependencies.onRunEvent = ({ kind, store, event, detail }) =>
    told.push(`${kind} ${store} ${event} ${detail}`)
  await running.worker.client.schedule.getHandle('upkeep/downtown').trigger()
  await waitFor(() => told.length > 1, 'the upkeep to end')
  expect(told).toEqual([
    'upkeep downtown begun ',
    'upkeep downtown done removed 1 of discarded_letters',
  ])
  expect(onDisk('a-letter-of-old')).toBe(false)
  expect(onDisk('a-newer-letter')).toBe(true)
  expect(onDisk('a-letter-of-another')).toBe(true)

  const { entries, breaks } = await readAuditLog(running.config.database)
  expect(breaks).toEqual([])
  expect(entries.map(({ act, detail }) => [act, JSON.parse(detail) as unknown])).toEqual([
    [
      'purge',
      {
        store: 'downtown',
        purged: [{ table: 'discarded_letters', before: expect.any(String) as string, rows: 1 }],
      },
    ],
  ])
  expect(await apply({})).toEqual([
    'upkeep/downtown removed: every day at 06:30 (America/Los_Angeles)',
  ])
})

test('schedules also set how long Temporal keeps finished runs', async () => {
  const lines: string[] = []
  const retention = { temporalDays: 11 }
  await applyRetention(running.worker, running.reconfigure({ retention }), line => lines.push(line))
  expect(lines).toEqual(['Temporal keeps the histories of runs that are over for 11 days'])
  const { config } = await running.worker.client.workflowService.describeNamespace({
    namespace: running.worker.client.options.namespace,
  })
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(11 * 86_400)
})
