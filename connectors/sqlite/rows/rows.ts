import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Rows } from '../../destination/rows.ts'
import type { Schema } from '../../sql/schema.ts'
import { rowTable } from '../connection/sql-text.ts'
import type { Writer } from '../writer/writer.ts'
import { compareRows, repairStatements } from './compare-rows.ts'
import { bookedOutside, expectedRows, newestLivingRow, parentValues } from './living-rows.ts'
import { namedRows } from './named-rows.ts'
import { drawRows, rowsNumbered } from './sampled-rows.ts'

/** What the tables of the streams hold. */
export const createRows = (db: Kysely<Schema>, writer: Writer): Rows => ({
  expected: (store, stream, window) => expectedRows(db, store, stream, window),
  newestLiving: (store, stream, except) => newestLivingRow(db, store, stream, except),
  parentValues: (store, parent) => parentValues(db, store, parent),
  named: (stores, stream, word, within = false) => namedRows(db, { stores, stream, word, within }),
  async count(store, stream) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(rowTable(stream))}
      WHERE store_id = ${store}`.execute(db)
    return rows[0]!.count
  },
  async lastReading() {
    // Not the largest number in the table: a purge takes old readings out of it.
    const { rows } = await sql<{ seq: number }>`
      SELECT seq FROM sqlite_sequence WHERE name = 'readings'`.execute(db)
    return rows[0]?.seq ?? 0
  },
  bookedOutside: (store, stream, days) => bookedOutside(db, store, stream, days),
  async newestModified(store, stream) {
    const { rows } = await sql<{ newest: number | null }>`
      SELECT max(${sql.ref(stream.cursor)}) AS newest FROM ${sql.table(rowTable(stream.name))}
      WHERE store_id = ${store}`.execute(db)
    return rows[0]?.newest ?? undefined
  },
  draw: (store, stream, sample) => drawRows(db, store, stream, sample),
  numbered: (store, stream, numbers) => rowsNumbered(db, store, stream, numbers),
  compare: (store, stream, records) => compareRows(db, store, stream, records),
  repair: (store, stream, different) =>
    writer.executeAll(repairStatements(stream, store, different)),
})
