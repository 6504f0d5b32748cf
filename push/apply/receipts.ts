import { dirname } from 'node:path'
import { fromIso } from '../../calendar/days.ts'
import type { OutboundOperation } from '../../connectors/destination/outbound.ts'
import { approversOf } from '../../outbound/approval.ts'
import { allowedBy, receiptsFolder, restoreReceipts, writeReceipt } from '../../outbound/receipt.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { RememberedPlan } from '../load-plan.ts'
import type { Operation } from '../operation.ts'
import type { Push } from '../push.ts'

/** Whatever the API took has a receipt, also where it shows something else than was sent. */
export const needsReceipt = ({ state, facts }: OutboundOperation): boolean =>
  (state === 'confirmed' || state === 'rejected') && typeof facts['after'] === 'string'

/**
 * Each write that was taken has its receipt, in the database and as a file: the process that wrote
 * it may have died before either, or between the two.
 */
export async function finishReceipts(push: Push, remembered: RememberedPlan): Promise<void> {
  const { path, receipts } = remembered
  restoreReceipts(dirname(path), path, receipts)
  const written = new Set(receipts.map(({ op }) => op))
  for (const { planned, stands } of remembered.operations)
    if (needsReceipt(stands) && !written.has(planned.id))
      await keepReceipt(push, remembered, planned, stands)
}

/** The receipt of an operation that was applied: what was, what was sent, what is. */
export async function keepReceipt(
  { outbound }: Push,
  remembered: RememberedPlan,
  planned: Operation,
  { facts, changedAt }: OutboundOperation,
): Promise<void> {
  const { rules, approvals } = remembered
  const approved =
    allowedBy(facts, approvals) ?? approversOf(rules, approvals, fromIso(changedAt), planned.id)
  const json = (name: string): unknown => {
    const text = facts[name]
    return parseExact(typeof text === 'string' ? text : 'null')
  }
  await writeReceipt(outbound, receiptsFolder(remembered.path), {
    plan_id: remembered.plan.plan,
    op_id: planned.id,
    store: planned.store,
    entity: planned.entity,
    external_id: planned.externalId,
    target_id: facts['targetId'],
    before: json('before'),
    sent: json('sent'),
    after: json('after'),
    at: changedAt,
    approved_by: approved.join(', '),
  })
}
