import { sql } from 'kysely'
import type { Rows } from '../../destination/rows.ts'
import { rowTable } from '../row-table.ts'
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
export const readRows = (place: RowsPlace): Omit<Rows, 'lastReading' | 'compare' | 'repair'> => ({
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
