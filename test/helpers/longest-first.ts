import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * What takes longest, longest first. Begun last, such a file would keep one core busy while the
 * other has nothing left to do; on a clean clone nobody else knows.
 */
const LONG_FILES = [
  'crash/crash',
  'accounting/month',
  'end-to-end/notify',
  'notify/whole-week',
  'end-to-end/liars',
  'end-to-end/trouble',
  'workflows/nightly',
  'end-to-end/writes',
  'end-to-end/doctor',
  'package',
  'end-to-end/machine',
  'end-to-end/sync',
  'workflows/check',
  'end-to-end/documents',
  'reading/deletions',
  'exports/killed',
  'commands/journal',
  'end-to-end/offered',
  'commands/books',
  'end-to-end/outage',
  'books/write-day-files',
  'commands/files',
  'temporal/embedded-server',
  'books/bookkeeping',
  'exports/limits',
  'reading/read-days',
  'end-to-end/record-history',
  'end-to-end/bad-input',
  'end-to-end/backup',
  'end-to-end/join',
  'end-to-end/interrupted',
  'commands/worker-is-up',
  'end-to-end/check',
  'reconcile/reconcile',
  'reading/proof',
  'exports/sales/export-books',
  'end-to-end/each',
  'reconcile/live-store',
]

/**
 * Files with a process of their own come before all others: a process that other files share ends
 * when such a file is next, and the one after it begins by loading everything anew.
 */
function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === 'alone') return -1
  const at = LONG_FILES.findIndex(name => moduleId.endsWith(`test/${name}.test.ts`))
  return at < 0 ? LONG_FILES.length : at
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
