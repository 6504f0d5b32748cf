import { toIso } from '../calendar/days.ts'
import { amountText, toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import type { Outcome } from '../outbound/outcome.ts'
import { SENT_BY_ANOTHER } from '../outbound/outcome.ts'
import { fieldsOf, listOf, textOf, timeOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { linesOf } from './judge-lots.ts'
import type { PlannedOperation } from './judge-lots.ts'
import { isUnexplained, NOT_TAKEN, UNEXPLAINED } from './operation-facts.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { PlanLine } from './plan.ts'

interface PostedLine {
  batch: string
  old: Amount | undefined
  posted: Amount | undefined
}

const linesIn = (record: Fields): PostedLine[] =>
  listOf(record['reconciliations'])
    .map(fieldsOf)
    .flatMap(line => {
      const batch = textOf(line['batchId'])
      if (batch === undefined) return []
      return [{ batch, old: toAmount(line['oldQuantity']), posted: toAmount(line['newQuantity']) }]
    })

/** What the history keeps of a reconciliation, as far as it says it. */
export const recordFacts = (record: Fields): OperationFacts => ({
  requestNo: textOf(record['requestNo']) ?? null,
  reconciliationId: textOf(record['id']) ?? null,
  transNo: textOf(record['transNo']) ?? null,
  committedMs: timeOf(record['created']) ?? timeOf(record['modified']) ?? null,
  replaced: linesIn(record).flatMap(({ batch, old }) =>
    old === undefined ? [] : [{ batch_id: batch, quantity: amountText(old, 0) }],
  ),
})

/** Of one that this database has not sent: its own lines say what was taken. */
export function factsOfAnother(
  posting: PlannedOperation & { now(): number },
  record: Fields,
): OperationFacts {
  const posted = new Map(linesIn(record).map(line => [line.batch, line.posted]))
  const discrepancyOf = ({ batch_id, delta, qty_to_post }: PlanLine): string | undefined => {
    if (!posted.has(batch_id)) return posted.size > 0 && delta !== '0' ? NOT_TAKEN : undefined
    const amount = posted.get(batch_id)
    return amount === undefined || amount === toAmount(qty_to_post) ? undefined : UNEXPLAINED
  }
  return {
    ...recordFacts(record),
    verifiedAt: toIso(posting.now()),
    discrepancies: linesOf(posting).flatMap(line => {
      const discrepancy = discrepancyOf(line)
      return discrepancy === undefined ? [] : [{ batch_id: line.batch_id, discrepancy }]
    }),
  }
}

/** The API has it before it was sent: by another copy of this database, if it is as planned. */
export function takenBefore(
  posting: PlannedOperation & { now(): number },
  record: Fields,
): Outcome {
  const facts = factsOfAnother(posting, record)
  // A full inventory lists what it found beside the plan, too.
  const others = (facts.discrepancies ?? []).filter(isUnexplained)
  if (others.length === 0) return { kind: 'confirmed', facts: { ...facts }, note: SENT_BY_ANOTHER }
  const lots = others.map(({ batch_id }) => batch_id).join(', ')
  const why = `the history shows it before it was sent, with other counts (${lots}): count again`
  return { kind: 'stale', why }
}
