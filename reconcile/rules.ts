import type { ReconcileSettings } from '../audit/settings.ts'
import type { ApprovalRules } from '../outbound/approval.ts'
import type { KeptPlan } from './plan-files.ts'
import { barredApprovers } from './plan.ts'

/** Who may allow a reconciliation, by the configuration of now. */
export const rulesOf = (
  { document, plan }: Pick<KeptPlan, 'document' | 'plan'>,
  { approvers, approvalValidSeconds }: ReconcileSettings,
): ApprovalRules => ({
  hash: plan.hash,
  required: document.requiredApprovals,
  validMs: approvalValidSeconds * 1000,
  approvers,
  barred: barredApprovers(document),
})
