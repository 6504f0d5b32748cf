import { STEPS } from '../destination/outbound.ts'
import type { StrayOperation } from '../destination/outbound.ts'
import type { Sql } from './connection.ts'

const listed = (names: readonly string[]): string => names.map(name => `'${name}'`).join(', ')

type Row = Omit<StrayOperation, 'hasReceipt'> & { receipts: number }

/** The last step of its story leads elsewhere. */
const IS_STRAY = `CASE ${Object.entries(STEPS)
  .map(([step, states]) => `WHEN step = '${step}' THEN state NOT IN (${listed(states)})`)
  .join(' ')} ELSE state <> 'planned' END`

/** One statement, because a run may move operations on between two. */
const strays = (where: string): string => `
  SELECT plan, op, state, step,
    (SELECT count(*) FROM outbound_receipts AS receipt
     WHERE receipt.plan = standing.plan AND receipt.op = standing.op) AS receipts
  FROM (
    SELECT plan, op, position, state,
      (SELECT event FROM outbound_events AS last WHERE last.seq = steps.seq) AS step
    FROM outbound_operations AS operation
    LEFT JOIN (SELECT plan, op, max(seq) AS seq FROM outbound_events
      WHERE event IN (${listed(Object.keys(STEPS))}) AND op IS NOT NULL ${where}
      GROUP BY plan, op) AS steps USING (plan, op)
    WHERE 1 = 1 ${where}
  ) AS standing
  WHERE ${IS_STRAY} ORDER BY plan, position`

/** Of a plan, or of all (null). */
export async function straysIn(sql: Sql, plan: string | null): Promise<StrayOperation[]> {
  const rows = await sql.all<Row>(strays(plan === null ? '' : 'AND plan = @plan'), { plan })
  return rows.map(({ receipts, ...stray }) => ({ ...stray, hasReceipt: receipts > 0 }))
}
