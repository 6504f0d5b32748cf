import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { orderFinder } from '../../schedules/orders.ts'
import type { PushFilesResult } from '../../workflows/push.ts'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ days: 1, transactionsPerDay: 1 })
  const folder = join(running.config.exports, '..')
  const file = (catalog: 'products' | 'vendors', text: string) => {
    const path = join(folder, `${catalog}.csv`)
    writeFileSync(path, text)
    return { catalog, path, create: [] }
  }
  const files = [
    file('products', 'external_id,description\nP-1001,by schedule\n'),
    file('vendors', 'external_id,name\nV-none,by schedule\n'),
  ]
  const config = running.reconfigure({ push: { every: 'daily', files } })
  running.worker.dependencies.findOrder = orderFinder(config)
})
afterAll(() => running.close())

const start = (workflowId: string) =>
  running.worker.client.workflow.start('push', {
    workflowId,
    taskQueue: running.worker.taskQueue,
    args: [{ store: 'downtown' }],
  })
const newest = async () =>
  (await running.worker.dependencies.destination.runs.newest('push', 'downtown', 1))[0]

test('a scheduled push that is stopped is told, and is not called running', async () => {
  await control(running.sandbox, 'POST', 'faults', [{ match: '/products', latencyMs: HOUR_MS }])
  const stopped = await start('stopped')
  await waitFor(async () => (await newest())?.outcome === 'running', 'the run to begin')
  await stopped.cancel()
  await expect(stopped.result()).rejects.toMatchObject({ message: /cancel/i })
  await control(running.sandbox, 'DELETE', 'faults')
  expect(await newest()).toMatchObject({
    outcome: 'failed',
    detail: expect.stringContaining('INTERRUPTED') as string,
  })
})

test('what fails is told, and keeps nothing else from being done; the next push is fine', async () => {
  await control(running.sandbox, 'POST', 'faults', [{ status: 401 }])
  const { plans } = (await (await start('failing')).result()) as PushFilesResult
  await control(running.sandbox, 'DELETE', 'faults')
  expect(plans).toHaveLength(2)
  const { outcome, detail } = (await newest())!
  expect([outcome, detail]).toEqual([
    'failed',
    expect.stringMatching(/^products .*; vendors .*; changes by others .*PARTNER_KEYS/),
  ])
  await (await start('fine')).result()
  expect(await newest()).toMatchObject({ outcome: 'done' })
})
