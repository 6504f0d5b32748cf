import { sql } from 'kysely'
import type { RecordVersion, Versions } from '../../destination/versions.ts'
import type { RowsPlace } from './living-rows.ts'

interface VersionRow {
  store_id: string
  from_batch: number
  to_batch: number | null
  seen_from: number | null
  modified: number | null
  gone_at: number | null
  raw: string
}

/** The views of a stream and its table of earlier states: `transactions_versions` and so on. */
export const createVersions = ({ db, dialect }: RowsPlace): Versions => ({
  async of(stores, stream, id) {
    const { rows } = await sql<VersionRow>`
      SELECT * FROM ${sql.table(dialect.viewOf(`${stream}_versions`))}
      WHERE id = ${id} AND store_id IN (${sql.join(stores)})
      ORDER BY store_id, from_batch, to_batch IS NULL, to_batch`.execute(db)
    return rows.map(asVersion)
  },
})

const asVersion = (row: VersionRow): RecordVersion => ({
  store: row.store_id,
  fromBatch: row.from_batch,
  toBatch: row.to_batch ?? undefined,
  seenFromMs: row.seen_from ?? undefined,
  modifiedMs: row.modified ?? undefined,
  goneAtMs: row.gone_at ?? undefined,
  raw: row.raw,
})
