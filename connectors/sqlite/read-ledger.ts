import type { Kysely } from 'kysely'
import { DAY_MS, fromIso } from '../../calendar/days.ts'
import type { LedgerRow } from '../destination/coverage.ts'
import { lookbackMs } from '../destination/lookback.ts'
import type { Stream } from '../stream.ts'
import type { Schema } from './schema.ts'

/** What the ledger holds of one stream of one store. */
export async function readLedger(
  db: Kysely<Schema>,
  store: string,
  stream: string,
): Promise<LedgerRow[]> {
  const rows = await db
    .selectFrom('windows')
    .selectAll()
    .where('store_id', '=', store)
    .where('stream', '=', stream)
    .execute()
  return rows.map(row => ({
    startMs: fromIso(row.window_start),
    endMs: fromIso(row.window_end),
    status: row.status,
    evidence: row.evidence,
  }))
}

/**
 * How far back runs read a stream of a store again, by what was measured. A whole list is read
 * again each time.
 */
export async function readLookbackMs(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  nowMs: number,
): Promise<number> {
  if (stream.windowing === 'full-refresh') return Number.POSITIVE_INFINITY
  const measured = await db
    .selectFrom('lateness')
    .select(['day', 'max_ms as maxMs'])
    .where('store_id', '=', store)
    .where('stream', '=', stream.name)
    .execute()
  return lookbackMs(stream.lookbackDays * DAY_MS, measured, nowMs)
}
