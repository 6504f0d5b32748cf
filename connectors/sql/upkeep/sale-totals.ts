import type { SaleTotal } from '../by-hand.ts'
import { all } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** Sales of a store since an instant; views that show rows as they are kept begin with `prefix`. */
export function* saleTotals(
  prefix: string,
  sales: { store: string; fromMs: number },
): Steps<SaleTotal[]> {
  const rows = yield* all<{ total: string | null; type: string; at: number }>(
    `SELECT CAST(cart_total AS text) AS total, lower(trans_type) AS type, completed_time AS at
     FROM ${prefix}transactions
     WHERE store_id = @store AND completed_time >= @fromMs AND lower(status) = 'completed'
       AND lower(trans_type) IN ('sale', 'refund') AND deleted IS NOT TRUE`,
    sales,
  )
  return rows.flatMap(({ total, type, at }) =>
    total === null ? [] : [{ total, isRefund: type === 'refund', atMs: at }],
  )
}
