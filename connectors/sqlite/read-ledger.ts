import type { Kysely } from 'kysely'
import { fromIso } from '../window.ts'
import type { LedgerRow } from './ledger.ts'
import type { Schema } from './schema.ts'

/** What the ledger holds of one stream of one store. */
export async function readLedger(db: Kysely<Schema>, store: string, stream: string): Promise<LedgerRow[]> {
  const rows = await db.selectFrom('windows').selectAll().where('store_id', '=', store).where('stream', '=', stream).execute()
  return rows.map((row) => ({ startMs: fromIso(row.window_start), endMs: fromIso(row.window_end), status: row.status, evidence: row.evidence }))
}
