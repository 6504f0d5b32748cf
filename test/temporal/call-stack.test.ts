import { afterAll, beforeAll, expect, it } from 'vitest'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ days: 6 })
})
afterAll(() => running.close())

it('a running workflow shows where it waits, by our files and their lines', async () => {
  const { client, taskQueue } = running.worker
  await control(running.sandbox, 'POST', 'faults', [{ match: '/vendors', latencyMs: 3_600_000 }])
  const handle = await client.workflow.start('syncStore', {
    workflowId: 'waits',
    taskQueue,
    args: [{ store: 'downtown', from: '2026-03-10', to: '2026-03-12', streams: ['vendors'] }],
  })
  // What the tab "Call Stack" of Temporal's web UI asks for.
  const stack = (): Promise<string> => handle.query<string>('__stack_trace')
  await waitFor(async () => (await stack()).includes('join'), 'it to wait for its child')
  expect(await stack()).toMatch(/at \w+ \(\S*workflows\/execute-or-join\.ts:\d+:\d+\)/)
  await handle.terminate()
  await control(running.sandbox, 'DELETE', 'faults')
})
