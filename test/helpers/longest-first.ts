import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * What takes longest, longest first. Begun last, such a file would keep one core busy while the
 * other has nothing left to do; on a clean clone nobody else knows.
 */
const LONG_FILES = [
  'crash/crash',
  'accounting/month',
  'end-to-end/liars',
  'end-to-end/trouble',
  'end-to-end/writes',
  'workflows/nightly',
  'package',
  'end-to-end/machine',
  'books/bookkeeping',
  'end-to-end/sync',
  'workflows/check',
  'end-to-end/documents',
  'exports/killed',
  'reading/deletions',
  'exports/limits',
  'end-to-end/offered',
  'commands/journal',
  'temporal/embedded-server',
  'commands/books',
  'end-to-end/outage',
  'end-to-end/backup',
  'reading/proof',
  'commands/files',
  'books/write-day-files',
  'end-to-end/record-history',
  'reading/read-days',
  'end-to-end/doctor',
  'end-to-end/join',
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
