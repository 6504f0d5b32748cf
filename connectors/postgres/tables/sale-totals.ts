import type { SaleTotal } from '../../sql/by-hand.ts'
import { runSteps } from '../../sql/steps.ts'
import { saleTotals } from '../../sql/upkeep/sale-totals.ts'
import { withSql } from '../connection/sql-connection.ts'
import { hasTable } from '../schema/existing-schema.ts'
import { STORED } from '../schema/stream-views.ts'

/** What `saleTotals` answers of what was read; nothing where nothing was. */
export const readSaleTotals = (
  address: string,
  store: string,
  fromMs: number,
): Promise<SaleTotal[]> =>
  withSql(
    address,
    async sql =>
      (await hasTable(sql, 'rows_transactions'))
        ? runSteps(sql, saleTotals(STORED, { store, fromMs }))
        : [],
    { most: 1, readonly: true },
  )
