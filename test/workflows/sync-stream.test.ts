import type { WorkflowFailedError } from '@temporalio/client'
import type { ApplicationFailure } from '@temporalio/common'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreResult } from '../../workflows/results.ts'
import { control } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning()
})
afterAll(() => running.close())

test('a list that answers with web pages ends after three windows in a row; other lists go on', async () => {
  await control(running.sandbox, 'POST', 'faults', [{ match: '/transactions', html: true }])
  const input = { store: 'downtown', from: '2026-01-01', to: '2026-03-15' }
  const run = await running.worker.client.workflow.start('syncStore', {
    workflowId: 'three-in-a-row',
    taskQueue: running.worker.taskQueue,
    args: [{ ...input, streams: ['transactions', 'vendors'] }],
  })
  const failed = await run.result().then(
    () => undefined,
    (error: unknown) => (error as WorkflowFailedError).cause,
  )
  expect(failed).toMatchObject({ type: 'PARTNER_NOT_API' })
  const { streams } = (failed as ApplicationFailure).details![1] as StoreResult
  const [transactions, vendors] = streams
  expect(vendors).toMatchObject({ stream: 'vendors', windows: { proven: 1, unproven: 0 } })
  expect(transactions!.windows).toMatchObject({ proven: 0 })
  // Two more may have been begun before the third has failed; the range has eleven at least.
  expect(transactions!.windows.unproven).toBeGreaterThanOrEqual(3)
  expect(transactions!.windows.unproven).toBeLessThanOrEqual(5)
})
