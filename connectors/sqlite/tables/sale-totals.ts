import { existsSync } from 'node:fs'
import type { SaleTotal } from '../../sql/by-hand.ts'
import { saleTotals } from '../../sql/upkeep/sale-totals.ts'
import { readDatabase } from '../connection/open-connection.ts'
import { stepsOn } from '../connection/sql-connection.ts'

/** What `saleTotals` answers of what was read; nothing where nothing was. */
export function readSaleTotals(database: string, store: string, fromMs: number): SaleTotal[] {
  if (!existsSync(database)) return []
  return readDatabase(database, connection => {
    const columns = connection.pragma('table_info(transactions)') as unknown[]
    if (columns.length === 0) return []
    return stepsOn(connection)(saleTotals('', { store, fromMs }))
  })
}
