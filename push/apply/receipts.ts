import { join } from 'node:path'
import type { OutboundOperation, OutboundPlan } from '../../connectors/destination/outbound.ts'
import { restoreReceipts, writeReceipt } from '../../outbound/receipt.ts'
import { removeLeftovers } from '../../outbound/write-once.ts'
import { guardedBy } from '../document.ts'
import type { RememberedPlan } from '../document.ts'
import { parseExact } from '../exact-json.ts'
import { needsApproval } from '../operation.ts'
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
  removeLeftovers(join(push.folder, remembered.plan.plan), Date.now())
  restoreReceipts(remembered.receipts)
  const written = new Set(remembered.receipts.map(({ op }) => op))
  for (const { planned, stands } of remembered.operations)
    if (needsReceipt(stands) && !written.has(planned.id))
      await keepReceipt(push, remembered, planned, stands)
}

/** The receipt of an operation that was applied: what was, what was sent, what is. */
export async function keepReceipt(
  { outbound, folder }: Push,
  remembered: RememberedPlan,
  planned: Operation,
  { facts, changedAt }: OutboundOperation,
): Promise<void> {
  const json = (name: string): unknown => {
    const text = facts[name]
    return parseExact(typeof text === 'string' ? text : 'null')
  }
  await writeReceipt(outbound, receiptFolder(folder, remembered.plan), {
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
    approved_by: approversOf(remembered, planned),
  })
}

const receiptFolder = (folder: string, { plan }: OutboundPlan): string =>
  join(folder, plan, 'receipts')

/** Who allowed this operation: of a guarded one, who named it. */
function approversOf({ approvals }: RememberedPlan, planned: Operation): string {
  const allowed = needsApproval(planned)
    ? approvals.filter(approval => guardedBy([approval]).has(planned.id))
    : approvals
  return [...new Set(allowed.map(({ by }) => by))].join(', ')
}
