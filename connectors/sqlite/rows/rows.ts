import type { Rows } from '../../destination/rows.ts'
import type { Statements } from '../../sql/connection.ts'
import type { RowDialect, RowsPlace } from '../../sql/rows/living-rows.ts'
import { readRows } from '../../sql/rows/rows.ts'
import { compareRows, repairStatements } from './compare-rows.ts'

export const DIALECT: RowDialect = {
  least: 'min',
  viewOf: name => name,
  fieldOf: (raw, path) => `${raw} ->> '$.${path}'`,
  findTable: name => `SELECT 1 FROM sqlite_schema WHERE name = '${name}'`,
  lastBatch: "SELECT coalesce(max(seq), 0) AS batch FROM sqlite_sequence WHERE name = 'readings'",
}

/** What the tables of the streams hold. */
export const createRows = (place: RowsPlace, writer: Statements): Rows => ({
  ...readRows(place),
  compare: (store, stream, records) => compareRows(place.db, store, stream, records),
  repair: (store, stream, different) =>
    writer.executeAll(repairStatements(stream, store, different)),
})
