import type { Kysely } from 'kysely'
import { fromIso } from '../../calendar/days.ts'
import { plausibleRows } from '../destination/coverage.ts'
import type { Ledger } from '../destination/ledger.ts'
import type { Schema } from './schema.ts'
import { asLedgerRow } from './window/ledger-table.ts'

/** Older ones were read again since, or stand in the ledger. */
const FAILED_READINGS = 2_000

/** The ledger, read. */
export const createLedger = (db: Kysely<Schema>, now: () => number = Date.now): Ledger => ({
  async windows(store, stream) {
    const rows = await db
      .selectFrom('windows')
      .selectAll()
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute()
    return plausibleRows(rows.map(asLedgerRow), now())
  },
  provenSpan: (store, stream) =>
    db
      .selectFrom('windows')
      .select(({ fn }) => [fn.min('window_start').as('from'), fn.max('window_end').as('to')])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .where('status', '=', 'proven')
      .executeTakeFirstOrThrow(),
  lateness: (store, stream) =>
    db
      .selectFrom('lateness')
      .select(['day', 'max_ms as maxMs'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute(),
  async firstReadAt(store) {
    const first = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .orderBy('batch')
      .limit(1)
      .executeTakeFirst()
    return first?.read_at
  },
  async failedReadings(store) {
    const rows = await db
      .selectFrom('readings')
      .select(['stream', 'window_start', 'window_end', 'read_at'])
      .where('store_id', '=', store)
      .where('status', '=', 'unproven')
      .orderBy('batch', 'desc')
      .limit(FAILED_READINGS)
      .execute()
    return rows.map(row => ({
      stream: row.stream,
      startMs: fromIso(row.window_start),
      endMs: fromIso(row.window_end),
      readAt: row.read_at,
    }))
  },
  async lastReadAt(store, stream) {
    const last = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .orderBy('batch', 'desc')
      .limit(1)
      .executeTakeFirst()
    return last?.read_at
  },
})
