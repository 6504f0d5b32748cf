import { auditFolder, seal } from '../audit/folder.ts'
import { fromIso } from '../calendar/days.ts'
import type { OperationState, OutboundOperation } from '../connectors/destination/outbound.ts'
import { approversOf } from '../outbound/approval.ts'
import { UNSETTLED } from '../outbound/operation-states.ts'
import { allowedBy, receiptsFolder, restoreReceipts, writeReceipt } from '../outbound/receipt.ts'
import { asNumber, factsOf } from './operation-facts.ts'
import type { KeptPlan } from './plan-files.ts'
import { onWire } from './post.ts'
import type { Reconciling } from './reconciling.ts'
import { rulesOf } from './rules.ts'

/** Something may still come of it; also of one that is confirmed, and was not verified yet. */
export const isUndone = (operation: OutboundOperation): boolean =>
  UNSETTLED.has(operation.state) ||
  (operation.state === 'confirmed' && factsOf(operation).verifiedAt === undefined)

const WITH_RECEIPT: ReadonlySet<OperationState> = new Set([
  'confirmed',
  'rejected',
  'stale',
  'abandoned',
])

/** It was sent, and its end is known. */
export const isSentAndOver = (operation: OutboundOperation): boolean =>
  WITH_RECEIPT.has(operation.state) && factsOf(operation).sent !== undefined

/** Everything that was sent has a receipt once nothing more comes of it. */
export const needsReceipt = (operation: OutboundOperation): boolean =>
  isSentAndOver(operation) && !isUndone(operation)

/** Receipts whose process died before they were written, in the database, as a file, or sealed. */
export async function finishReceipts(
  reconciling: Reconciling,
  kept: KeptPlan,
  operations: readonly OutboundOperation[],
): Promise<void> {
  const { store, audit, plan } = kept.document
  const folder = auditFolder(reconciling.exports, store, audit)
  restoreReceipts(folder.path, kept.path, await reconciling.store.receipts(plan))
  const due = operations.filter(needsReceipt)
  for (const operation of due) await keepReceipt(reconciling, kept, operation)
  if (due.length > 0) await seal(reconciling.store, folder)
}

export async function keepReceipt(
  { store, settings }: Reconciling,
  kept: KeptPlan,
  operation: OutboundOperation,
): Promise<void> {
  const facts = factsOf(operation)
  const given = await store.approvals(operation.plan)
  const rules = rulesOf(kept, settings)
  await writeReceipt(store, receiptsFolder(kept.path), {
    plan_id: operation.plan,
    op_id: operation.op,
    token: operation.token,
    before: facts.before ?? [],
    sent: onWire(facts.sent!),
    after: facts.after ?? [],
    at: facts.sentAt,
    approved_by:
      allowedBy(operation.facts, given) ?? approversOf(rules, given, fromIso(facts.sentAt!)),
    request_no: asNumber(facts.requestNo),
    reconciliation_id: facts.reconciliationId ?? null,
  })
}
