import type { Generated, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { outboundTables } from './outbound-tables.ts'
import { pushTables } from './push-tables.ts'
import { bookedDays, checksById, checkTable, scheduleTables } from './schedule-tables.ts'
import type { ScheduleSchema } from './schedule-tables.ts'

/** Bookkeeping tables, beside one table or view per stream. Times are ISO texts in UTC. */
export interface Schema extends ScheduleSchema {
  windows: {
    store_id: string
    stream: string
    window_start: string
    window_end: string
    status: 'proven' | 'unproven'
    evidence: string
  }
  dead_letters: {
    store_id: string
    stream: string
    record_key: string
    reason: string
    raw: string
    window_start: string
    window_end: string
    first_seen_at: string
  }
  findings: {
    id: string
    store_id: string
    stream: string
    code: string
    detail: string
    times: number
    first_seen_at: string
    last_seen_at: string
  }
  stores: {
    store_id: string
    company_id: string | null
    shop_id: string | null
    name: string | null
    time_zone: string
    checked_at: string
  }
  /**
   * What is known of how a store's API behaves where its documentation is silent; stream is empty
   * for the store as a whole.
   */
  behaviours: {
    store_id: string
    stream: string
    fact: string
    value: string
    evidence: string
    seen_at: string
  }
  /**
   * What is known of a stream's records: a Shape as JSON, and the run that read the stream for the
   * first time.
   */
  shapes: { store_id: string; stream: string; learned_by: string; shape: string }
  /**
   * Every window that was read, in order, with its counts: what changed when. Rows carry the batch
   * that touched them last.
   */
  readings: {
    batch: Generated<number>
    store_id: string
    stream: string
    window_start: string
    window_end: string
    status: 'proven' | 'unproven' | 'replayed'
    counts: string
    read_at: string
  }
  /**
   * Every state of a record that was replaced, or that came out of order: it stood from one batch
   * until another, never at all where both are the same. `gone_at` is epoch milliseconds: the
   * record was missed then. Triggers write this.
   */
  versions: {
    stream: string
    store_id: string
    id: string
    from_batch: number
    to_batch: number
    modified: number | null
    gone_at: number | null
    raw: string
  }
  /** Dead letters that a person gave up: who, when and why. The record itself is kept. */
  discarded_letters: Schema['dead_letters'] & {
    discarded_at: string
    discarded_by: string
    discard_reason: string
  }
  /**
   * Records that arrived after their time had been proven: how late at most, by UTC day of arrival.
   */
  lateness: { store_id: string; stream: string; day: string; max_ms: number; records: number }
}

/**
 * Numbered, each in its own transaction. Stream tables are not here: they follow their
 * declarations.
 */
export const migrations: Record<string, Migration> = {
  '0001-bookkeeping': {
    async up(db: Kysely<Schema>) {
      await db.schema
        .createTable('windows')
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('window_start', 'text', column => column.notNull())
        .addColumn('window_end', 'text', column => column.notNull())
        .addColumn('status', 'text', column => column.notNull())
        .addColumn('evidence', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('windows_key', [
          'store_id',
          'stream',
          'window_start',
          'window_end',
        ])
        .execute()
      await db.schema
        .createTable('dead_letters')
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('record_key', 'text', column => column.notNull())
        .addColumn('reason', 'text', column => column.notNull())
        .addColumn('raw', 'text', column => column.notNull())
        .addColumn('window_start', 'text', column => column.notNull())
        .addColumn('window_end', 'text', column => column.notNull())
        .addColumn('first_seen_at', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('dead_letters_key', ['store_id', 'stream', 'record_key'])
        .execute()
      await db.schema
        .createTable('findings')
        .addColumn('id', 'text', column => column.primaryKey().notNull())
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('code', 'text', column => column.notNull())
        .addColumn('detail', 'text', column => column.notNull())
        .addColumn('times', 'integer', column => column.notNull())
        .addColumn('first_seen_at', 'text', column => column.notNull())
        .addColumn('last_seen_at', 'text', column => column.notNull())
        .execute()
      await db.schema
        .createTable('stores')
        .addColumn('store_id', 'text', column => column.primaryKey().notNull())
        .addColumn('company_id', 'text')
        .addColumn('shop_id', 'text')
        .addColumn('name', 'text')
        .addColumn('time_zone', 'text', column => column.notNull())
        .addColumn('checked_at', 'text', column => column.notNull())
        .execute()
      await db.schema
        .createTable('readings')
        .addColumn('batch', 'integer', column => column.primaryKey().autoIncrement().notNull())
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('window_start', 'text', column => column.notNull())
        .addColumn('window_end', 'text', column => column.notNull())
        .addColumn('status', 'text', column => column.notNull())
        .addColumn('counts', 'text', column => column.notNull())
        .addColumn('read_at', 'text', column => column.notNull())
        .execute()
    },
  },
  '0002-shapes': {
    async up(db: Kysely<Schema>) {
      await db.schema
        .createTable('shapes')
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('learned_by', 'text', column => column.notNull())
        .addColumn('shape', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('shapes_key', ['store_id', 'stream'])
        .execute()
    },
  },
  '0004-behaviours': {
    async up(db: Kysely<Schema>) {
      await db.schema
        .createTable('behaviours')
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('fact', 'text', column => column.notNull())
        .addColumn('value', 'text', column => column.notNull())
        .addColumn('evidence', 'text', column => column.notNull())
        .addColumn('seen_at', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('behaviours_key', ['store_id', 'stream', 'fact'])
        .execute()
    },
  },
  '0003-history': {
    async up(db: Kysely<Schema>) {
      await db.schema
        .createTable('versions')
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('id', 'text', column => column.notNull())
        .addColumn('from_batch', 'integer', column => column.notNull())
        .addColumn('to_batch', 'integer', column => column.notNull())
        .addColumn('modified', 'integer')
        .addColumn('gone_at', 'integer')
        .addColumn('raw', 'text', column => column.notNull())
        .execute()
      await db.schema
        .createIndex('versions_key')
        .on('versions')
        .columns(['stream', 'store_id', 'id', 'to_batch'])
        .execute()
      const texts = [
        'store_id',
        'stream',
        'record_key',
        'reason',
        'raw',
        'window_start',
        'window_end',
        'first_seen_at',
        'discarded_at',
        'discarded_by',
        'discard_reason',
      ]
      await texts
        .reduce(
          (table, name) => table.addColumn(name, 'text', column => column.notNull()),
          db.schema.createTable('discarded_letters'),
        )
        .execute()
      await db.schema
        .createTable('lateness')
        .addColumn('store_id', 'text', column => column.notNull())
        .addColumn('stream', 'text', column => column.notNull())
        .addColumn('day', 'text', column => column.notNull())
        .addColumn('max_ms', 'integer', column => column.notNull())
        .addColumn('records', 'integer', column => column.notNull())
        .addPrimaryKeyConstraint('lateness_key', ['store_id', 'stream', 'day'])
        .execute()
    },
  },
  '0005-schedules': scheduleTables,
  '0006-checks': checkTable,
  '0007-checks-by-id': checksById,
  '0008-booked-days': bookedDays,
  '0009-outbound': outboundTables,
  '0010-push': pushTables,
}
