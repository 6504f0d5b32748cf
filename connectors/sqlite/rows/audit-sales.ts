import { existsSync } from 'node:fs'
import type { SaleTotal } from '../../sql/by-hand.ts'
import { readDatabase } from '../connection/open-connection.ts'

/** Sales of a store since an instant, from what was read of them; none where nothing was. */
export function readSaleTotals(database: string, store: string, fromMs: number): SaleTotal[] {
  if (!existsSync(database)) return []
  return readDatabase(database, connection => {
    const columns = connection.pragma('table_info(transactions)') as unknown[]
    if (columns.length === 0) return []
    const rows = connection
      .prepare<[string, number], { total: string | null; type: string; at: number }>(
        `SELECT CAST(cart_total AS TEXT) AS total, lower(trans_type) AS type, completed_time AS at
         FROM transactions
         WHERE store_id = ? AND completed_time >= ? AND lower(status) = 'completed'
           AND lower(trans_type) IN ('sale', 'refund') AND coalesce(deleted, 0) = 0`,
      )
      .all(store, fromMs)
    return rows.flatMap(({ total, type, at }) =>
      total === null ? [] : [{ total, isRefund: type === 'refund', atMs: at }],
    )
  })
}
