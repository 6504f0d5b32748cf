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
    does: 'two sandbox stores, all the way to files; needs nothing',
    load: async () => (await import('./demo.ts')).command,
  },
  {
    name: 'init',
    group: 'start',
    does: 'writes a commented tillage.yaml for your store',
    load: async () => (await import('./init.ts')).command,
  },
  {
    name: 'doctor',
    group: 'start',
    does: 'keys, permissions, how the API really behaves; only reads',
    load: async () => (await import('./doctor.ts')).command,
  },
  {
    name: 'up',
    group: 'start',
    does: 'everything for one machine: Temporal, worker, schedules',
    load: async () => (await import('./up.ts')).command,
  },
  {
    name: 'sync',
    group: 'read',
    does: 'reads streams and makes a range proven',
    load: async () => (await import('./sync.ts')).command,
  },
  {
    name: 'status',
    group: 'read',
    does: 'how each store stands, and what is due',
    load: async () => (await import('./status.ts')).command,
  },
  {
    name: 'coverage',
    group: 'read',
    does: 'what of a stream is proven, stale, unproven, never read',
    load: async () => (await import('./coverage.ts')).command,
  },
  {
    name: 'dead-letters',
    group: 'read',
    does: 'records that no table could take, and what to do',
    load: async () => (await import('./dead-letters.ts')).command,
  },
  {
    name: 'journal',
    group: 'books',
    does: 'the daily sales journal of each store, tied out',
    load: async () => (await import('./journal.ts')).command,
  },
  {
    name: 'books',
    group: 'books',
    does: 'a month day by day: proven, booked, restated; close it',
    load: async () => (await import('./books.ts')).command,
  },
  {
    name: 'export',
    group: 'books',
    does: 'datasets as files, with a manifest',
    load: async () => (await import('./export.ts')).command,
  },
  {
    name: 'files',
    group: 'books',
    does: 'the files that were given out; --current: the newest',
    load: async () => (await import('./files.ts')).command,
  },
  {
    name: 'push',
    group: 'operate',
    does: 'vendors and products out: plan, approve, apply, undo',
    load: async () => (await import('./push.ts')).command,
  },
  {
    name: 'verify',
    group: 'prove',
    does: 'the files of an export against their manifest',
    load: async () => (await import('./verify.ts')).command,
  },
  {
    name: 'check',
    group: 'prove',
    does: 'a random sample against the API; fixes what is wrong',
    load: async () => (await import('./check.ts')).command,
  },
  {
    name: 'find',
    group: 'prove',
    does: 'what a number or a name is, and what tells its story',
    load: async () => (await import('./find.ts')).command,
  },
  {
    name: 'history',
    group: 'prove',
    does: 'every state of a record that was seen, and what changed',
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
    does: 'counts back through the API: plan, approve, apply, show',
    load: async () => (await import('./reconcile.ts')).command,
  },
  {
    name: 'schedule',
    group: 'operate',
    does: 'what runs when: apply, list, pause, trigger, backfill',
    load: async () => (await import('./schedule.ts')).command,
  },
  {
    name: 'webhooks',
    group: 'operate',
    does: "the API's events: apply, list, remove, rotate",
    load: async () => (await import('./webhooks.ts')).command,
  },
  {
    name: 'worker',
    group: 'operate',
    does: 'a worker alone, for a cluster',
    load: async () => (await import('./worker.ts')).command,
  },
  {
    name: 'backup',
    group: 'operate',
    does: 'the database and the member secret into a new file',
    load: async () => (await import('./backup.ts')).command,
  },
  {
    name: 'restore',
    group: 'operate',
    does: 'a backup back into its place; never overwrites',
    load: async () => (await import('./restore.ts')).command,
  },
  {
    name: 'store',
    group: 'operate',
    does: 'the stores of the database: list, rename, time zone',
    load: async () => (await import('./store.ts')).command,
  },
  {
    name: 'forget',
    group: 'operate',
    does: 'takes a member out of the database for good',
    load: async () => (await import('./forget.ts')).command,
  },
  {
    name: 'purge',
    group: 'operate',
    does: 'removes what retention in tillage.yaml does not keep',
    load: async () => (await import('./purge.ts')).command,
  },
  {
    name: 'audit-log',
    group: 'operate',
    does: 'who showed or changed more than a run does',
    load: async () => (await import('./audit-log.ts')).command,
  },
  {
    name: 'streams',
    group: 'explore',
    does: 'every list that can be read',
    load: async () => (await import('./streams.ts')).command,
  },
  {
    name: 'datasets',
    group: 'explore',
    does: 'everything that export writes',
    load: async () => (await import('./datasets.ts')).command,
  },
  {
    name: 'describe',
    group: 'explore',
    does: 'the columns of a table: type, unit, sign, source',
    load: async () => (await import('./describe.ts')).command,
  },
  {
    name: 'query',
    group: 'explore',
    does: 'a question in SQL over lists and books; only reads',
    load: async () => (await import('./query.ts')).command,
  },
  {
    name: 'findings',
    group: 'explore',
    does: 'what the API did that its documentation does not say',
    load: async () => (await import('./findings.ts')).command,
  },
  {
    name: 'accounts',
    group: 'explore',
    does: 'the chart of the journal as it applies',
    load: async () => (await import('./accounts.ts')).command,
  },
  {
    name: 'api',
    group: 'explore',
    does: 'calls one documented operation of the API, once',
    load: async () => (await import('./api.ts')).command,
  },
  {
    name: 'sandbox',
    group: 'explore',
    does: 'the Partner Commerce API to try things on, until Ctrl-C',
    load: async () => (await import('./sandbox.ts')).command,
  },
]
