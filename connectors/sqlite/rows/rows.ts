import type Sqlite from 'better-sqlite3'
import type { Rows } from '../../destination/rows.ts'
import { compareRows } from '../../sql/rows/compare-rows.ts'
import type { RowDialect, RowsPlace } from '../../sql/rows/living-rows.ts'
import { readRows } from '../../sql/rows/rows.ts'
import { atOnce } from '../connection/sql-connection.ts'
import { recordStaging } from './staged-rows.ts'

export const DIALECT: RowDialect = {
  least: 'min',
  viewOf: name => name,
  fieldOf: (raw, path) => `${raw} ->> '$.${path}'`,
  findTable: name => `SELECT 1 FROM sqlite_schema WHERE name = '${name}'`,
  lastBatch: "SELECT coalesce(max(seq), 0) AS batch FROM sqlite_sequence WHERE name = 'readings'",
}

/** What the tables of the streams hold. */
export const createRows = (
  place: RowsPlace,
  connection: Sqlite.Database,
  { repair }: Pick<Rows, 'repair'>,
): Rows => ({
  ...readRows(place),
  compare: async (...asked) => atOnce(connection, compareRows(recordStaging(connection), ...asked)),
  repair,
})
