import { STEPS } from '../destination/outbound.ts'
import type { Step, StrayOperation } from '../destination/outbound.ts'
import type { Sql } from './connection.ts'

const NAMES = Object.keys(STEPS)
  .map(name => `'${name}'`)
  .join(', ')

type Row = Omit<StrayOperation, 'hasReceipt'> & { receipts: number }

/** One statement, because a run may move operations on between two. */
const standing = (where: string): string => `
  SELECT plan, op, state, (SELECT event FROM outbound_events AS last WHERE last.seq = steps.seq) AS step,
    (SELECT count(*) FROM outbound_receipts AS receipt
     WHERE receipt.plan = operation.plan AND receipt.op = operation.op) AS receipts
  FROM outbound_operations AS operation
  LEFT JOIN (SELECT plan, op, max(seq) AS seq FROM outbound_events
    WHERE event IN (${NAMES}) AND op IS NOT NULL ${where}
    GROUP BY plan, op) AS steps USING (plan, op)
  WHERE 1 = 1 ${where}
  ORDER BY plan, position`

/** Of a plan, or of all (null). */
export async function straysIn(sql: Sql, plan: string | null): Promise<StrayOperation[]> {
  const rows = await sql.all<Row>(standing(plan === null ? '' : 'AND plan = @plan'), { plan })
  return rows
    .filter(({ state, step }) => !leadsTo(step).includes(state))
    .map(({ receipts, ...stray }) => ({ ...stray, hasReceipt: receipts > 0 }))
}

const leadsTo = (step: Step | null): readonly string[] =>
  step === null ? ['planned'] : STEPS[step]
