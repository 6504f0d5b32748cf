import fc from 'fast-check'
import { testLimitMs } from './size.ts'

/**
 * A case of a property that hangs fails before its test does (`vitest.config.ts`), so that it is
 * named and can be run again; what is left of the time ends the search for a smaller one.
 */
fc.configureGlobal({
  timeout: testLimitMs() / 3,
  interruptAfterTimeLimit: testLimitMs() * 0.9,
  markInterruptAsFailure: true,
})
