/**
 * `node tools/count-tests.ts REPORT STATUS`: prints `N passed, N failed` from Vitest's JSON report
 * and its exit status, and fails unless every test that ran has passed, at least one did, and
 * Vitest itself was content.
 */
import { readFileSync } from 'node:fs'

/** The part of Vitest's JSON report that counts. */
export interface TestReport {
  testResults: { status: string; name: string; assertionResults: { status: string }[] }[]
}

export interface TestCounts {
  passed: number
  failed: number
  /** Not run: skipped on this platform, or to do. */
  skipped: number
}

/**
 * A file that could not be loaded, and a run that failed outside of any test, count as one failure
 * each.
 */
export function countTests(report: TestReport | undefined, status: number): TestCounts {
  const files = report?.testResults ?? []
  const count = (...states: string[]): number =>
    files.flatMap(file => file.assertionResults).filter(test => states.includes(test.status)).length
  const passed = count('passed')
  const broken = files.filter(
    file =>
      file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed'),
  ).length
  const failed = count('failed') + broken
  return {
    passed,
    failed: failed === 0 && (status !== 0 || passed === 0) ? 1 : failed,
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
  }
}

function readReport(path: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as TestReport
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const [path = '', status = '1'] = process.argv.slice(2)
  const report = readReport(path)
  const { passed, failed, skipped } = countTests(report, Number(status))
  if (report === undefined) console.log('Vitest left no report')
  if (skipped > 0) console.log(`${skipped} skipped`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
