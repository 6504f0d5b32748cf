import type { SaleTotal } from '../by-hand.ts'
import { all } from '../steps.ts'
import type { Steps } from '../steps.ts'

/**
 * Sales of a store since an instant, and the last one before it, which tells that the store sold by
 * then. Views that show rows as they are kept begin with `prefix`.
 */
export function* saleTotals(
  prefix: string,
  sales: { store: string; fromMs: number },
): Steps<SaleTotal[]> {
  const sold = `
    FROM ${prefix}transactions
    WHERE store_id = @store AND lower(status) = 'completed'
      AND lower(trans_type) IN ('sale', 'refund') AND deleted IS NOT TRUE`
  const rows = yield* all<{ total: string | null; type: string; at: number }>(
    `SELECT CAST(cart_total AS text) AS total, lower(trans_type) AS type, completed_time AS at
     ${sold} AND completed_time >= coalesce(
       (SELECT max(completed_time) ${sold} AND completed_time < @fromMs), @fromMs)`,
    sales,
  )
  return rows.flatMap(({ total, type, at }) =>
    total === null ? [] : [{ total, isRefund: type === 'refund', atMs: at }],
  )
}
