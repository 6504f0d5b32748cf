import type { Approval, OutboundPlan } from '../connectors/destination/outbound.ts'
import { isApproved, validApprovals } from '../outbound/approval.ts'
import type { PlanFacts } from './plan-files.ts'
import type { ReconcileSettings } from './settings.ts'

/** What approvals a reconciliation lacks before it may be sent, in words; undefined: none. */
export function lackingApproval(
  { hash, facts }: Pick<OutboundPlan, 'hash' | 'facts'>,
  given: readonly Approval[],
  { approvers, approvalValidSeconds }: ReconcileSettings,
  nowMs: number,
): string | undefined {
  // Plans of earlier versions do not say how many they need, and their documents are not opened.
  const { requiredApprovals: required = 1 } = facts as Partial<PlanFacts>
  const rules = { hash, required, validMs: approvalValidSeconds * 1000, approvers }
  if (isApproved(rules, given, nowMs)) return undefined
  const valid = validApprovals(rules, given, nowMs)
  if (valid.length < given.length) return 'a new approval, because an earlier one has expired,'
  return valid.length === 0 ? 'an approval' : 'a second approval'
}
