import type { Approval } from '../connectors/destination/outbound.ts'
import { isApproved, validApprovals } from '../outbound/approval.ts'
import type { KeptPlan } from './plan-files.ts'
import { rulesOf } from './rules.ts'
import type { ReconcileSettings } from './settings.ts'

/** What approvals a reconciliation lacks before it may be sent, in words; undefined: none. */
export function lackingApproval(
  kept: Pick<KeptPlan, 'document' | 'plan'>,
  given: readonly Approval[],
  settings: ReconcileSettings,
  nowMs: number,
): string | undefined {
  const rules = rulesOf(kept, settings)
  if (isApproved(rules, given, nowMs)) return undefined
  const valid = validApprovals(rules, given, nowMs)
  if (valid.length < given.length) return 'a new approval, because an earlier one has expired,'
  return valid.length === 0 ? 'an approval' : 'a second approval'
}
