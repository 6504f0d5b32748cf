import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * What takes twenty seconds or more in a full run, longest first; after each three that compute
 * one that mostly waits (for clocks, servers, limits), so that no core is without work. Begun last,
 * such a file would keep one core busy while the other has nothing left to do; on a clean clone
 * nobody else knows. `npx vitest run --reporter=json` says how long each takes.
 */
const LONG_FILES = [
  'console/browser',
  'crash/crash',
  'accounting/moved-month',
  'end-to-end/liars',
  'console/actions',
  'accounting/month-on-a-cluster',
  'workflows/nightly',
  'end-to-end/workers',
  'end-to-end/killed-plans',
  'workflows/check',
  'end-to-end/writes',
  'end-to-end/settings-changed',
  'end-to-end/same-on-both',
  'end-to-end/trouble',
  'commands/journal',
  'end-to-end/notify',
  'end-to-end/sync',
  'commands/bucket',
  'package',
  'connectors/copy/copy-rows',
  'notify/whole-week',
  'reconcile/reconcile',
  'books/write-day-files',
  'commands/query',
  'commands/changed-days',
  'end-to-end/machine',
  'books/bookkeeping',
  'temporal/strangers',
  'end-to-end/two-machines',
  'end-to-end/standing',
  'commands/books',
  'connectors/sql/by-hand-on-both',
  'reading/read-days',
  'reconcile/live-store',
  'exports/killed',
  'end-to-end/webhooks',
  'console/pages',
  'end-to-end/documents',
  'end-to-end/outage',
  'examples',
  'end-to-end/drift',
  'console/stored-html',
  'reconcile/found-whole',
  'exports/sales/closed-books',
  'end-to-end/doctor',
  'exports/bucket-killed',
  'end-to-end/offered',
  'schedules/apply-schedules',
  'commands/status/worker-is-up',
  'end-to-end/record-history',
  'temporal/left-work',
  'activities/keep-pace',
  'exports/limits',
  'end-to-end/liars-on-postgres',
  'end-to-end/bad-input',
  'connectors/sql/merge-on-both',
  'commands/up/take-up-settings',
  'commands/files',
  'outbound/tampered',
  'connectors/sql/numbers-on-both',
  'end-to-end/backup',
  'temporal/other-copy',
  'reading/deletions',
  'connectors/stream',
  'commands/store-accounting',
  'commands/posted',
  'end-to-end/interrupted',
  'end-to-end/each',
  'objects/objects',
  'end-to-end/bucket',
  'reading/proof',
  'connectors/sql/lost-records-on-both',
  'end-to-end/shared-limits',
  'reconcile/discard',
  'temporal/server/embedded-server',
  'temporal/cli/find-cli',
  'push/disturbed',
  'commands/missing-costs',
  'exports/bucket',
  'bench/bench',
  'connectors/postgres/leases',
  'commands/audit-log',
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
