import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * What takes longest, longest first. Begun last, such a file would keep one core busy while the
 * other has nothing left to do; on a clean clone nobody else knows.
 */
const LONG_FILES = [
  'notify/whole-week',
  'end-to-end/standing',
  'end-to-end/shared-limits',
  'end-to-end/notify',
  'end-to-end/drift',
  'audit/take-audit',
  'reading/prove-window',
  'end-to-end/killed-plans',
  'console/actions',
  'accounting/month-on-a-cluster',
  'accounting/moved-month',
  'console/pages',
  'console/stored-html',
  'console/browser',
  'console/broken',
  'end-to-end/webhooks',
  'workflows/nightly',
  'worker',
  'commands/explain',
  'commands/changed-days',
  'commands/journal',
  'cli',
  'end-to-end/writes',
  'commands/query',
  'notify/storm',
  'crash/crash',
  'end-to-end/liars',
  'workflows/push',
  'end-to-end/settings-changed',
  'workflows/check',
  'reading/read-days',
  'connectors/partner/quote-refusal',
  'commands/books',
  'temporal/server/two-containers',
  'temporal/left-work',
  'end-to-end/machine',
  'outbound/permit',
  'books/write-day-files',
  'commands/store-accounting',
  'temporal/call-stack',
  'workflows/audit',
  'books/bookkeeping',
  'end-to-end/bad-input',
  'end-to-end/record-history',
  'end-to-end/sync',
  'examples',
  'end-to-end/trouble',
  'commands/standing',
  'end-to-end/documents',
  'end-to-end/metrics',
  'commands/posted',
  'schedules/early-nights',
  'commands/up/take-up-settings',
  'commands/status/worker-is-up',
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
