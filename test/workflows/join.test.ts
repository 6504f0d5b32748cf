import { WorkflowFailedError } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { syncStreamId } from '../../workflows/ids.ts'
import type { StoreResult } from '../../workflows/results.ts'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

const DAYS = { store: 'downtown', from: '2026-03-10', to: '2026-03-12' }
let running: Running
beforeAll(async () => {
  running = await startRunning({ days: 6 })
})
afterAll(() => running.close())

const start = (
  workflowId: string,
  streams: string[],
): ReturnType<Running['worker']['client']['workflow']['start']> =>
  running.worker.client.workflow.start('syncStore', {
    workflowId,
    taskQueue: running.worker.taskQueue,
    args: [{ ...DAYS, streams }],
  })

test('a sync that joins a stream ends when the stream is stopped elsewhere, and keeps what it has read', async () => {
  await control(running.sandbox, 'POST', 'faults', [{ match: '/transactions', latencyMs: HOUR_MS }])
  const first = await start('first', ['transactions'])
  const hasStarted = async (): Promise<boolean> =>
    ((await first.fetchHistory()).events ?? []).some(
      ({ childWorkflowExecutionStartedEventAttributes: child }) => Boolean(child),
    )
  await waitFor(hasStarted, 'the first run to be at work')
  const second = await start('second', ['transactions', 'vendors'])
  const hasJoined = async (): Promise<boolean> =>
    ((await second.fetchHistory()).events ?? []).some(
      ({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === 'joinWorkflow',
    )
  await waitFor(hasJoined, 'the second run to join the first')
  await first.cancel()
  const failed = await second.result().then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failed).toBeInstanceOf(WorkflowFailedError)
  const { type, details } = (failed as WorkflowFailedError).cause as unknown as {
    type: string
    details: [unknown, StoreResult]
  }
  expect(type).toBe('INTERRUPTED')
  expect(details[1].streams).toMatchObject([
    { stream: 'transactions', failure: { code: 'INTERRUPTED' } },
    { stream: 'vendors', windows: { proven: 1 } },
  ])
})

test('a stopped sync leaves no stream running that the next one would join', async () => {
  const streams = ['transactions', 'members', 'purchase_orders', 'batches', 'products']
  const lists = '/(transactions|members|purchase-?orders|batches|products)'
  await control(running.sandbox, 'POST', 'faults', [{ match: lists, latencyMs: HOUR_MS }])
  const stopped = await start('stopped', streams)
  const children = streams.map(stream =>
    running.worker.client.workflow.getHandle(syncStreamId(DAYS, stream)),
  )
  const statuses = (): Promise<string[]> =>
    Promise.all(children.map(async child => (await child.describe()).status.name))
  const areAtWork = async (): Promise<boolean> =>
    (await statuses().catch(() => [])).filter(status => status === 'RUNNING').length ===
    streams.length
  await waitFor(areAtWork, 'every stream to be at work')
  await stopped.cancel()
  await expect(stopped.result()).rejects.toBeInstanceOf(WorkflowFailedError)
  expect(await statuses()).toEqual(streams.map(() => 'CANCELLED'))
  await control(running.sandbox, 'DELETE', 'faults')
})

test('lists of each record of another stream are read after that one, in the very first run too', async () => {
  const first = await start('parents-last', [
    'consumer_carts',
    'batch_quantities',
    'members',
    'inventories',
  ])
  const { streams } = (await first.result()) as StoreResult
  expect(streams.map(({ stream }) => stream)).toEqual([
    'consumer_carts',
    'batch_quantities',
    'members',
    'inventories',
  ])
  expect(streams.flatMap(({ stream, windows }) => (windows.unproven > 0 ? [stream] : []))).toEqual(
    [],
  )
})
