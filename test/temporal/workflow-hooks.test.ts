import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js'
import { afterEach, expect, test } from 'vitest'
import { removeWorkflowHooks } from '../../temporal/workflow-hooks.ts'

/** What the SDK's hook looks at for each promise. */
const LOOKED_AT = '__TEMPORAL_ACTIVATOR__'

afterEach(() => {
  globalHandlers.uninstall()
  delete (globalThis as Record<string, unknown>)[LOOKED_AT]
})

async function countLooks(): Promise<number> {
  let looks = 0
  Object.defineProperty(globalThis, LOOKED_AT, {
    configurable: true,
    get: () => {
      looks += 1
      return undefined
    },
  })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  return looks
}

test('the SDK runs code for each promise where workflows run, until its hooks are removed', async () => {
  const before = Error.prepareStackTrace
  globalHandlers.install()
  expect(Error.prepareStackTrace).not.toBe(before)
  expect(await countLooks()).toBeGreaterThanOrEqual(10)
  await removeWorkflowHooks()
  expect(await countLooks()).toBe(0)
  expect(Error.prepareStackTrace).toBe(before)
})

test('a worker that is created later brings the hooks back, and they are removed again', async () => {
  await removeWorkflowHooks()
  globalHandlers.install()
  await removeWorkflowHooks()
  expect(await countLooks()).toBe(0)
})
