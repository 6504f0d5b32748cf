import { PlanError } from '../errors.ts'
import { POLICY, validApprovals } from '../outbound/approval.ts'
import { reachedItsEnd, wasApplied } from '../outbound/run.ts'
import { describePlan, timedRows } from './document.ts'
import { loadPlan } from './load-plan.ts'
import type { RememberedPlan } from './load-plan.ts'
import type { Push } from './push.ts'

/**
 * Plans whose rows wait for their time, and may be sent then without anybody: the last apply came
 * to its end in order. What was interrupted, or was not taken, waits until somebody applies it
 * again.
 */
export async function plansThatWait(push: Push): Promise<string[]> {
  const waiting: string[] = []
  for (const { plan } of await push.outbound.plans('push')) {
    if (!reachedItsEnd(await push.outbound.runs(plan))) continue
    const remembered = await loadIfWhole(push, plan)
    if (remembered === undefined || remembered.inverse !== null) continue
    const { state, stores } = describePlan(push, remembered)
    const failed = stores.filter(one => one.state === 'failed').map(({ store }) => store)
    const rows = timedRows(remembered, push.now()).filter(({ store }) => !failed.includes(store))
    if (state !== 'stopped' && rows.length > 0) waiting.push(plan)
  }
  return waiting
}

/**
 * Without a person's command only that is sent which the policy of tillage.yaml approved, and the
 * rest of what somebody applied, if that apply came to its end.
 */
export async function refuseUnasked(push: Push, plan: string): Promise<void> {
  const { rules, approvals, runs } = await loadPlan(push, plan)
  const isByPolicy = validApprovals(rules, approvals, push.now()).some(({ by }) => by === POLICY)
  if (wasApplied(runs) ? reachedItsEnd(runs) : isByPolicy) return
  throw new PlanError('PLAN_INTERRUPTED', `${plan} must be applied by a person`, {
    remedy: `Look at it: tillage push show ${plan}. Then: tillage push apply ${plan}`,
  })
}

/** Of a plan whose document is not as it was planned nothing is sent; `status` says so. */
async function loadIfWhole(push: Push, plan: string): Promise<RememberedPlan | undefined> {
  try {
    return await loadPlan(push, plan)
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}
