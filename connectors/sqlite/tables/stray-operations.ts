import type Sqlite from 'better-sqlite3'
import { STEPS } from '../../destination/outbound.ts'
import type { Step, StrayOperation } from '../../destination/outbound.ts'

const NAMES = Object.keys(STEPS)
  .map(name => `'${name}'`)
  .join(', ')

type Row = Omit<StrayOperation, 'hasReceipt'> & { receipts: number }

/** One statement, because a run may move operations on between two. */
export const prepareStanding = (connection: Sqlite.Database) =>
  connection.prepare<{ plan: string | null }, Row>(
    `SELECT plan, op, state, steps.event AS step,
       EXISTS (SELECT 1 FROM outbound_receipts AS receipt
         WHERE receipt.plan = operation.plan AND receipt.op = operation.op) AS receipts
     FROM outbound_operations AS operation
     LEFT JOIN (SELECT plan, op, event, max(seq) FROM outbound_events
       WHERE event IN (${NAMES}) AND op IS NOT NULL AND (@plan IS NULL OR plan = @plan)
       GROUP BY plan, op) AS steps USING (plan, op)
     WHERE @plan IS NULL OR plan = @plan
     ORDER BY plan, position`,
  )

/** Of a plan, or of all (null). */
export const straysIn = (
  standing: ReturnType<typeof prepareStanding>,
  plan: string | null,
): StrayOperation[] =>
  standing
    .all({ plan })
    .filter(({ state, step }) => !leadsTo(step).includes(state))
    .map(({ receipts, ...stray }) => ({ ...stray, hasReceipt: receipts > 0 }))

const leadsTo = (step: Step | null): readonly string[] =>
  step === null ? ['planned'] : STEPS[step]
