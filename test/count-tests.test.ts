import { expect, it } from 'vitest'
import { countTests } from '../tools/count-tests.ts'
import type { TestReport } from '../tools/count-tests.ts'

const report = (...files: (readonly [status: string, ...tests: string[]])[]): TestReport => ({
  testResults: files.map(([status, ...tests]) => ({
    status,
    name: 'x.test.ts',
    assertionResults: tests.map(test => ({ status: test })),
  })),
})

it('counts tests over all files', () => {
  expect(
    countTests(report(['passed', 'passed', 'passed'], ['passed', 'passed', 'skipped', 'todo']), 0),
  ).toEqual({ passed: 3, failed: 0, skipped: 2 })
  expect(countTests(report(['failed', 'passed', 'failed'], ['passed', 'passed']), 1)).toEqual({
    passed: 2,
    failed: 1,
    skipped: 0,
  })
})

it.each([
  ['a file that cannot be loaded', report(['passed', 'passed'], ['failed']), 1, 1],
  ['a file whose cleanup failed after all its tests', report(['failed', 'passed']), 1, 1],
  ['an error outside of any test', report(['passed', 'passed']), 1, 1],
  ['no test at all', report(), 0, 0],
  ['only skipped tests', report(['passed', 'skipped']), 0, 0],
  ['no report, because Vitest itself crashed', undefined, 139, 0],
  ['no report, and Vitest says that all is well', undefined, 0, 0],
] as const)('counts %s as a failure', (_, found, status, passed) => {
  expect(countTests(found, status)).toMatchObject({ passed, failed: 1 })
})
