import type { Rows } from '../../destination/rows.ts'
import { quoteText as literal } from '../../quote.ts'
import type { RowDialect, RowsPlace } from '../../sql/rows/living-rows.ts'
import { readRows } from '../../sql/rows/rows.ts'
import type { Connections } from '../connection/connections.ts'
import { storedView } from '../schema/stream-views.ts'
import { compareRows, repairRows } from './compare-rows.ts'

export const DIALECT: RowDialect = {
  least: 'least',
  viewOf: storedView,
  fieldOf: (raw, path) => `field_of(${raw}, ${literal(`{${path.replaceAll('.', ',')}}`)})`,
  findTable: name => `SELECT 1 WHERE to_regclass(${literal(name)}) IS NOT NULL`,
  lastBatch:
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS batch FROM readings_batch_seq',
}

/** What the tables of the streams hold. */
export const createRows = (place: RowsPlace, connections: Connections): Rows => ({
  ...readRows(place),
  compare: (store, stream, records) => compareRows(connections, store, stream, records),
  repair: (store, stream, different) => repairRows(connections, store, stream, different),
})
