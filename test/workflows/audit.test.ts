import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditsOf } from '../../audit/folder.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { orderFinder } from '../../schedules/orders.ts'
import type { AuditResult } from '../../workflows/audit.ts'
import { asSqlite } from '../connectors/sqlite/as-sqlite.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

const APPROVERS = { approvers: [{ name: 'Kim', role: 'manager' }] }
let running: Running
beforeAll(async () => {
  running = await startRunning({}, { reconcile: APPROVERS })
})
afterAll(() => running.close())

const audit = (name: string): Promise<AuditResult> =>
  running.worker.client.workflow.execute('audit', {
    workflowId: name,
    taskQueue: running.worker.taskQueue,
    args: [{ store: 'downtown' }],
  }) as Promise<AuditResult>

test('a store that names approvers is snapshot weekly, and rolled forward from the earlier snapshot', async () => {
  const schedulesOf = async (settings: object): Promise<string[]> => {
    const config = running.reconfigure(settings)
    const signal = new AbortController().signal
    const changes = await applySchedules(running.worker, config, () => {}, signal)
    return changes.filter(({ id }) => id.startsWith('audit/')).map(({ id, now }) => `${id} ${now}`)
  }
  expect(await schedulesOf({})).toEqual([])
  expect(await schedulesOf({ reconcile: APPROVERS })).toEqual([
    'audit/downtown every Sunday at 02:00 (America/Los_Angeles)',
  ])
  const first = await audit('first')
  const second = await audit('second')
  expect(second).toMatchObject({ store: 'downtown', lines: first.lines, unexplained: 0 })
  const kept = auditsOf(running.config.exports, 'downtown')
  expect(kept.map(folder => folder.audit).toSorted()).toEqual(
    [first.audit, second.audit].toSorted(),
  )
  for (const { path } of kept) {
    expect(readdirSync(join(path, 'sheets'))).toHaveLength(3)
    expect(readdirSync(join(path, 'roll-forward'))).toHaveLength(1)
  }
  const { db } = asSqlite(running.worker.dependencies.destination)
  const runs = await db.selectFrom('runs').selectAll().where('kind', '=', 'audit').execute()
  // A day that is done stays so: it tells of the first.
  expect(runs).toMatchObject([{ outcome: 'done' }])
  expect(runs[0]!.detail).toContain(`${first.audit}: ${first.lines} lots, the first`)
})

test('a store or a schedule that tillage.yaml does not have any more is not snapshot, whoever asks', async () => {
  const { worker, config } = running
  const before = auditsOf(config.exports, 'downtown').length
  worker.dependencies.findOrder = orderFinder(running.reconfigure({}))
  const { client, taskQueue } = worker
  const copied = { workflowId: 'copied', taskQueue, args: [{ store: 'downtown' }] }
  await expect(client.workflow.execute('audit', copied)).rejects.toMatchObject({
    cause: { type: 'NOT_ALLOWED', message: expect.stringContaining('has no audit') as string },
  })
  expect(auditsOf(config.exports, 'downtown')).toHaveLength(before)
})
