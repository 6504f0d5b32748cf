import { expect, it } from 'vitest'
import { createServingWorkers } from '../../temporal/serve-workers.ts'

it('a process that has no worker, since it tells schedules alone, is over when it is told to stop', async () => {
  const undo: (() => Promise<void>)[] = []
  const { stopped } = createServingWorkers(undo)
  let isOver = false
  const over = stopped.then(() => (isOver = true))
  await new Promise(resolve => setImmediate(resolve))
  expect(isOver).toBe(false)
  for (const step of undo) await step()
  await over
})
