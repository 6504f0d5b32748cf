import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { ApprovalRules } from './approval.ts'
import { refuseUnapproved } from './approve.ts'
import type { OpenedPlan } from './open-plan.ts'
import { planChanged } from './plan-changed.ts'
import { refuseOverRun } from './run.ts'

/** What a run may send, and by whose leave. */
export interface Permitted {
  opened: Pick<OpenedPlan<unknown>, 'plan'>
  rules: ApprovalRules
  run: string
}

/**
 * Right before an operation is sent, everything is judged anew: an approval may have expired since
 * the run began, somebody may have taken it over, and rows of the database may have been changed
 * (INV-8).
 */
export async function refuseUnpermitted(
  store: Pick<OutboundStore, 'plan' | 'runs' | 'approvals'>,
  { opened: { plan }, rules, run }: Permitted,
  { op, nowMs }: { op: string; nowMs: number },
): Promise<void> {
  await refuseOverRun(store, { plan: plan.plan, run })
  const now = await store.plan(plan.plan)
  if (now?.hash !== plan.hash)
    throw planChanged(
      plan.kind,
      `${plan.plan} had the hash ${plan.hash}, and in the database it is now ${now?.hash ?? 'gone'}`,
    )
  await refuseUnapproved(store, { plan, rules }, nowMs, op)
}
