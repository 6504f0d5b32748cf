import { sql } from 'kysely'
import type { RecordVersion, Rows, Versions } from '../../destination/rows.ts'
import { rowTable } from '../../stream-sql.ts'
import {
  bookedOutside,
  countModified,
  expectedRows,
  newestLivingRow,
  parentValues,
  rowsLeftByEdit,
} from './living-rows.ts'
import type { RowsPlace } from './living-rows.ts'
import { namedRows } from './named-rows.ts'
import { drawRows, rowsNumbered } from './sampled-rows.ts'

/** What the tables of the streams hold, as far as it is asked for in the same way everywhere. */
export const readRows = (place: RowsPlace): Omit<Rows, 'compare' | 'repair'> => ({
  async lastReading() {
    const { rows } = await sql<{ batch: number }>`${sql.raw(place.dialect.lastBatch)}`.execute(
      place.db,
    )
    return rows[0]!.batch
  },
  expected: (store, stream, window) => expectedRows(place, store, stream, window),
  newestLiving: (store, stream, except) => newestLivingRow(place.db, store, stream, except),
  leftByEdit: (store, stream, ids) => rowsLeftByEdit(place.db, store, stream, ids),
  parentValues: (store, parent) => parentValues(place, store, parent),
  named: (stores, stream, word, within = false) =>
    namedRows(place, { stores, stream, word, within }),
  async count(store, stream) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(rowTable(stream))}
      WHERE store_id = ${store}`.execute(place.db)
    return rows[0]!.count
  },
  countModified: (store, stream, inside) => countModified(place.db, store, stream, inside),
  bookedOutside: (store, stream, days) => bookedOutside(place.db, store, stream, days),
  async newestModified(store, stream) {
    const { rows } = await sql<{ newest: number | null }>`
      SELECT max(${sql.ref(stream.cursor)}) AS newest FROM ${sql.table(rowTable(stream.name))}
      WHERE store_id = ${store}`.execute(place.db)
    return rows[0]?.newest ?? undefined
  },
  draw: (store, stream, sample) => drawRows(place.db, store, stream, sample),
  numbered: (store, stream, numbers) => rowsNumbered(place.db, store, stream, numbers),
})

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
