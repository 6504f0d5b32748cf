import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export type RunKind = 'nightly' | 'sweep' | 'check'

/**
 * What is due, what came of it, and what samples said: enough to tell without a server what did not
 * happen (INV-11). Times are ISO texts in UTC.
 */
export interface ScheduleSchema {
  /**
   * What Temporal was told last. `since` is when it became due at this time; `settings` is the JSON
   * of `ScheduleFacts`.
   */
  schedules: {
    schedule_id: string
    kind: RunKind
    store_id: string
    settings: string
    since: string
    paused_at: string | null
    note: string | null
  }
  /**
   * One row for each store and day: the business day of a night, the calendar day of anything else.
   */
  runs: {
    kind: RunKind
    store_id: string
    day: string
    due_at: string
    deadline_at: string | null
    started_at: string
    finished_at: string | null
    outcome: 'running' | 'done' | 'failed'
    attempts: number
    detail: string
  }
  /**
   * What each comparison with the API said, of so many windows, or records by their id.
   * `rate_bound` is not exceeded by the rate of wrong rows, or of windows with a wrong row, with 95
   * % confidence.
   */
  checks: {
    store_id: string
    stream: string
    checked_at: string
    seed: number
    drawn_by: 'window' | 'id'
    drawn: number
    compared: number
    mismatched: number
    changed: number
    healed: number
    rate_bound: number
    bound_of: 'rows' | 'windows'
  }
  /**
   * What a night knows of the books of a business day: the manifest of this sha256 holds every
   * reading up to and with this batch, as far as it is the day's.
   */
  booked_days: { store_id: string; day: string; manifest: string; batch: number }
}

export const scheduleTables: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('schedules')
      .addColumn('schedule_id', 'text', column => column.primaryKey().notNull())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('store_id', 'text', column => column.notNull())
      .addColumn('settings', 'text', column => column.notNull())
      .addColumn('since', 'text', column => column.notNull())
      .addColumn('paused_at', 'text')
      .addColumn('note', 'text')
      .execute()
    await db.schema
      .createTable('runs')
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('store_id', 'text', column => column.notNull())
      .addColumn('day', 'text', column => column.notNull())
      .addColumn('due_at', 'text', column => column.notNull())
      .addColumn('deadline_at', 'text')
      .addColumn('started_at', 'text', column => column.notNull())
      .addColumn('finished_at', 'text')
      .addColumn('outcome', 'text', column => column.notNull())
      .addColumn('attempts', 'integer', column => column.notNull())
      .addColumn('detail', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('runs_key', ['kind', 'store_id', 'day'])
      .execute()
  },
}

export const checkTable: Migration = {
  async up(db: Kysely<unknown>) {
    const texts = ['store_id', 'stream', 'checked_at']
    const numbers = ['seed', 'windows', 'compared', 'mismatched', 'changed', 'healed']
    const named = texts.reduce(
      (table, name) => table.addColumn(name, 'text', column => column.notNull()),
      db.schema.createTable('checks'),
    )
    await numbers
      .reduce((table, name) => table.addColumn(name, 'integer', column => column.notNull()), named)
      .addColumn('rate_bound', 'real', column => column.notNull())
      .execute()
  },
}

export const checksById: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('checks').renameColumn('windows', 'drawn').execute()
    await db.schema
      .alterTable('checks')
      .addColumn('drawn_by', 'text', column => column.notNull().defaultTo('window'))
      .execute()
    await db.schema
      .alterTable('checks')
      .addColumn('bound_of', 'text', column => column.notNull().defaultTo('rows'))
      .execute()
  },
}

export const bookedDays: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('booked_days')
      .addColumn('store_id', 'text', column => column.notNull())
      .addColumn('day', 'text', column => column.notNull())
      .addColumn('manifest', 'text', column => column.notNull())
      .addColumn('batch', 'integer', column => column.notNull())
      .addPrimaryKeyConstraint('booked_days_key', ['store_id', 'day'])
      .execute()
  },
}
