import type { AnyCommand, CommandFamily } from './command.ts'

/** The headings of `--help`, in its order. */
export const COMMAND_GROUPS = {
  start: 'Start',
  read: 'Read',
  books: 'Books',
  prove: 'Prove',
  stock: 'Count',
  operate: 'Operate',
  explore: 'Explore',
} as const

export interface ListedCommand {
  name: string
  group: keyof typeof COMMAND_GROUPS
  /** One line of the help, at most 57 letters. */
  does: string
  /** Temporal and DuckDB cost a second that `--help` and `status` need not wait for. */
  load(): Promise<AnyCommand | CommandFamily>
}

/**
 * Every command there is: a new one is a file that exports `command`, and one line here. A line
 * says what `--help` shows of it; the file says the rest.
 */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'demo',
    group: 'start',
    does: 'reads two sandbox stores and writes files; needs nothing',
    load: async () => (await import('./demo.ts')).command,
  },
  {
    name: 'init',
    group: 'start',
    does: 'writes a commented tillage.yaml for your stores',
    load: async () => (await import('./init.ts')).command,
  },
  {
    name: 'doctor',
    group: 'start',
    does: 'checks keys, permissions and how the API behaves',
    load: async () => (await import('./doctor.ts')).command,
  },
  {
    name: 'up',
    group: 'start',
    does: 'runs Temporal, worker and schedules on one machine',
    load: async () => (await import('./up.ts')).command,
  },
  {
    name: 'sync',
    group: 'read',
    does: 'reads streams from the API and proves a range',
    load: async () => (await import('./sync.ts')).command,
  },
  {
    name: 'status',
    group: 'read',
    does: 'shows the state of each store, and what is due',
    load: async () => (await import('./status.ts')).command,
  },
  {
    name: 'coverage',
    group: 'read',
    does: 'shows what is proven, stale, unproven or never read',
    load: async () => (await import('./coverage.ts')).command,
  },
  {
    name: 'dead-letters',
    group: 'read',
    does: 'rejected records: show, replay, discard',
    load: async () => (await import('./dead-letters.ts')).command,
  },
  {
    name: 'journal',
    group: 'books',
    does: 'writes the daily sales journal of each store, tied out',
    load: async () => (await import('./journal.ts')).command,
  },
  {
    name: 'books',
    group: 'books',
    does: 'shows a month day by day: proven, booked; closes it',
    load: async () => (await import('./books.ts')).command,
  },
  {
    name: 'export',
    group: 'books',
    does: 'writes datasets as files, with a manifest',
    load: async () => (await import('./export.ts')).command,
  },
  {
    name: 'files',
    group: 'books',
    does: 'lists files that were given out; --current: the newest',
    load: async () => (await import('./files.ts')).command,
  },
  {
    name: 'push',
    group: 'operate',
    does: 'sends vendors and products: plan, approve, apply, undo',
    load: async () => (await import('./push.ts')).command,
  },
  {
    name: 'verify',
    group: 'prove',
    does: 'compares files with their manifest and the audit log',
    load: async () => (await import('./verify.ts')).command,
  },
  {
    name: 'check',
    group: 'prove',
    does: 'compares a random sample with the API; corrects errors',
    load: async () => (await import('./check.ts')).command,
  },
  {
    name: 'find',
    group: 'prove',
    does: 'says what a number or name is, and which command shows it',
    load: async () => (await import('./find.ts')).command,
  },
  {
    name: 'history',
    group: 'prove',
    does: 'shows every stored state of a record, and what changed',
    load: async () => (await import('./history.ts')).command,
  },
  {
    name: 'audit',
    group: 'stock',
    does: 'inventory audits: snapshot, count sheets, report',
    load: async () => (await import('./audit.ts')).command,
  },
  {
    name: 'reconcile',
    group: 'stock',
    does: 'sends counts to the API: plan, approve, apply, show',
    load: async () => (await import('./reconcile.ts')).command,
  },
  {
    name: 'schedule',
    group: 'operate',
    does: 'schedules: apply, list, pause, trigger, backfill',
    load: async () => (await import('./schedule.ts')).command,
  },
  {
    name: 'webhooks',
    group: 'operate',
    does: "the API's events: apply, list, remove, rotate",
    load: async () => (await import('./webhooks.ts')).command,
  },
  {
    name: 'console',
    group: 'operate',
    does: 'the pages for people: ticket to sign in, hash-password',
    load: async () => (await import('./console.ts')).command,
  },
  {
    name: 'notify',
    group: 'operate',
    does: 'alarms: what is open, what was sent; tests the channels',
    load: async () => (await import('./notify.ts')).command,
  },
  {
    name: 'worker',
    group: 'operate',
    does: 'runs a worker alone, for a cluster',
    load: async () => (await import('./worker.ts')).command,
  },
  {
    name: 'database',
    group: 'operate',
    does: 'PostgreSQL: tables and roles; moving there and back',
    load: async () => (await import('./database.ts')).command,
  },
  {
    name: 'backup',
    group: 'operate',
    does: 'copies the database and the member secret to a new file',
    load: async () => (await import('./backup.ts')).command,
  },
  {
    name: 'restore',
    group: 'operate',
    does: 'puts a backup in place of the database; never overwrites',
    load: async () => (await import('./restore.ts')).command,
  },
  {
    name: 'store',
    group: 'operate',
    does: 'stores of the database: list, rename, time zone',
    load: async () => (await import('./store.ts')).command,
  },
  {
    name: 'forget',
    group: 'operate',
    does: 'removes a member from the database for good',
    load: async () => (await import('./forget.ts')).command,
  },
  {
    name: 'purge',
    group: 'operate',
    does: 'removes what is older than retention in tillage.yaml',
    load: async () => (await import('./purge.ts')).command,
  },
  {
    name: 'audit-log',
    group: 'operate',
    does: 'lists exports of people, changes by hand and approvals',
    load: async () => (await import('./audit-log.ts')).command,
  },
  {
    name: 'streams',
    group: 'explore',
    does: 'lists every stream that can be read',
    load: async () => (await import('./streams.ts')).command,
  },
  {
    name: 'datasets',
    group: 'explore',
    does: 'lists every dataset that export writes',
    load: async () => (await import('./datasets.ts')).command,
  },
  {
    name: 'describe',
    group: 'explore',
    does: 'shows the columns of a table: type, unit, sign, source',
    load: async () => (await import('./describe.ts')).command,
  },
  {
    name: 'query',
    group: 'explore',
    does: 'answers a question in SQL; only reads',
    load: async () => (await import('./query.ts')).command,
  },
  {
    name: 'findings',
    group: 'explore',
    does: 'lists what the API does beside its documentation',
    load: async () => (await import('./findings.ts')).command,
  },
  {
    name: 'accounts',
    group: 'explore',
    does: 'shows the chart of accounts that journals use',
    load: async () => (await import('./accounts.ts')).command,
  },
  {
    name: 'api',
    group: 'explore',
    does: 'calls one documented operation of the API',
    load: async () => (await import('./api.ts')).command,
  },
  {
    name: 'sandbox',
    group: 'explore',
    does: 'runs a simulated Partner Commerce API until Ctrl-C',
    load: async () => (await import('./sandbox.ts')).command,
  },
]
