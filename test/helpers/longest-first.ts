import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * What takes longest, longest first. Begun last, such a file would keep one core busy while the
 * other has nothing left to do; on a clean clone nobody else knows.
 */
const LONG_FILES = [
  'accounting/month',
  'crash/crash',
  'end-to-end/liars',
  'end-to-end/trouble',
  'workflows/check',
  'package',
  'workflows/nightly',
  'end-to-end/machine',
  'end-to-end/sync',
  'exports/limits',
  'end-to-end/join',
  'reading/deletions',
  'end-to-end/record-history',
  'end-to-end/each',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG_FILES.findIndex(name => moduleId.endsWith(`test/${name}.test.ts`))
      return at < 0 ? LONG_FILES.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
