import { spawnSync } from 'node:child_process'

/**
 * Files that alone take eight seconds or more of a processor, or eighteen of waiting; longest
 * first, in seconds of whichever is more.
 */
export const LONG_FILES: readonly string[] = [
  'end-to-end/workers',
  'console/browser',
  'end-to-end/settings-changed',
  'accounting/month-on-a-cluster',
  'end-to-end/notify',
  'accounting/moved-month',
  'crash/crash',
  'end-to-end/liars',
  'end-to-end/releases',
  'workflows/nightly',
  'end-to-end/trouble',
  'end-to-end/same-on-both',
  'end-to-end/two-machines',
  'notify/whole-week',
  'temporal/strangers',
  'end-to-end/webhooks',
  'end-to-end/writes',
  'end-to-end/sync',
  'package',
  'end-to-end/machine',
  'commands/query',
  'console/actions',
  'connectors/postgres/leases',
  'end-to-end/liars-on-postgres',
  'workflows/sync-stream',
  'end-to-end/documents',
  'activities/keep-pace',
  'connectors/copy/copy-rows',
  'end-to-end/doctor',
  'end-to-end/offered',
  'commands/status/worker-is-up',
  'workflows/check',
  'temporal/left-work',
  'end-to-end/outage',
  'temporal/server/embedded-server',
  'end-to-end/killed-plans',
  'end-to-end/bucket',
  'end-to-end/standing',
  'end-to-end/shared-limits',
  'connectors/sql/by-hand-on-both',
  'end-to-end/interrupted',
  'connectors/sql/merge-on-both',
  'commands/bucket',
  'console/stored-html',
  'end-to-end/drift',
  'connectors/sql/numbers-on-both',
  'reading/read-days',
  'end-to-end/record-history',
  'commands/up/take-up-settings',
  'console/pages',
  'workflows/join',
  'end-to-end/each',
  'books/bookkeeping',
  'console/plan-actions',
  'commands/changed-days',
  'commands/books',
  'commands/database',
  'end-to-end/join',
  'commands/journal',
  'end-to-end/backup',
  'end-to-end/check',
  'connectors/sql/lost-records-on-both',
  'schedules/apply-schedules',
  'outbound/tampered',
  'workflows/audit',
  'connectors/stream',
  'temporal/other-copy',
  'end-to-end/secrets',
  'end-to-end/metrics',
]

/** A run with each commit plays one of so many parts of them. */
export const PARTS = 5

/** Which part a commit plays: its hash says so, which a shallow clone knows, too. */
export const partOf = (commit: string): number => Number.parseInt(commit.slice(0, 8), 16) % PARTS

/**
 * Which part a run plays: with a commit (`npm test`) that of the commit that is checked out.
 * Undefined: all of them.
 */
export function partOfRun(mode: string): number | undefined {
  if (mode !== 'commit') return undefined
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return status === 0 ? partOf(stdout) : undefined
}

/** The long files that a run of a part leaves out, as Vitest excludes them. */
export const leftOutBy = (part: number | undefined): string[] =>
  part === undefined
    ? []
    : LONG_FILES.filter((_, at) => at % PARTS !== part).map(name => `test/${name}.test.ts`)
