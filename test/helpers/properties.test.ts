import fc from 'fast-check'
import { expect, it } from 'vitest'
import { testLimitMs } from './size.ts'

it('a case of a property that hangs fails, and is named, before the limit of its test', async () => {
  const limits = fc.readConfigureGlobal()
  expect(limits.timeout).toBeLessThan(testLimitMs())
  expect(limits.interruptAfterTimeLimit).toBeLessThan(testLimitMs())
  const hangs = fc.asyncProperty(fc.nat(100), value =>
    value > 50 ? new Promise<void>(() => {}) : Promise.resolve(),
  )
  const told = await fc.check(hangs, { timeout: 20, seed: 1 })
  expect(told).toMatchObject({ failed: true, counterexample: [51] })
  expect(String(told.errorInstance)).toContain('timeout')
})
