import { DAY_MS, describeDuration } from '../calendar/days.ts'
import type {
  Approval,
  OutboundOperation,
  OutboundPlan,
  OutboundStore,
} from '../connectors/destination/outbound.ts'

/** A plan that goes no further without somebody. */
export interface WaitingPlan {
  plan: string
  kind: OutboundPlan['kind']
  /** Why: an approval is lacking, or operations are parked with an unknown outcome. */
  why: 'not approved' | 'parked'
  /** Of what is not approved: what it waits for, such as `a second approval`. */
  missingApproval?: string
  /** ISO, UTC. */
  since: string
}

/** What approvals a plan still needs before the rest of it may be sent; undefined: none. */
export type JudgeApprovals = (
  plan: OutboundPlan,
  operations: readonly OutboundOperation[],
  approvals: readonly Approval[],
) => string | undefined

/** An older plan that nobody approved was looked at and left. */
const FORGOTTEN_AFTER_MS = 14 * DAY_MS

/** Plans of a store that wait for a person, the newest first (INV-11). */
export async function waitingPlans(
  outbound: Pick<OutboundStore, 'plans' | 'operations' | 'approvals'>,
  store: string,
  { nowMs, missingApproval }: { nowMs: number; missingApproval: JudgeApprovals },
): Promise<WaitingPlan[]> {
  const plans = [...(await outbound.plans('push')), ...(await outbound.plans('reconcile'))]
  const waiting = plans
    .filter(plan => storesOf(plan).includes(store))
    .map(async plan => {
      const operations = await outbound.operations(plan.plan)
      const approvals = await outbound.approvals(plan.plan)
      return waitingPlanOf(plan, operations, missingApproval(plan, operations, approvals), nowMs)
    })
  return (await Promise.all(waiting)).filter(plan => plan !== undefined)
}

/** Why a plan waits for a person; undefined where it does not. */
export function waitingPlanOf(
  { plan, kind, createdAt }: OutboundPlan,
  operations: readonly Pick<OutboundOperation, 'state' | 'changedAt'>[],
  missingApproval: string | undefined,
  nowMs: number,
): WaitingPlan | undefined {
  const parked = operations.filter(({ state }) => state === 'unknown')
  if (parked.length > 0) {
    const since = parked.map(({ changedAt }) => changedAt).sort()[0]!
    return { plan, kind, why: 'parked', since }
  }
  const isRecent = nowMs - Date.parse(createdAt) < FORGOTTEN_AFTER_MS
  const hasWork = operations.some(({ state }) => state === 'planned' || state === 'failed')
  if (missingApproval === undefined || !hasWork || !isRecent) return undefined
  return { plan, kind, why: 'not approved', missingApproval, since: createdAt }
}

/** A reconciliation is of one store, a push of one or several. */
function storesOf({ facts }: OutboundPlan): string[] {
  if (typeof facts['store'] === 'string') return [facts['store']]
  const stores = Array.isArray(facts['stores']) ? (facts['stores'] as { store?: unknown }[]) : []
  return stores.flatMap(({ store }) => (typeof store === 'string' ? [store] : []))
}

/** For `status`: what waits, for how long, and where to look. */
export function describeWaiting(
  { plan, kind, why, missingApproval = 'an approval', since }: WaitingPlan,
  nowMs: number,
): string {
  const age = describeDuration(Math.max(0, nowMs - Date.parse(since)))
  const what =
    why === 'parked'
      ? 'has been parked with an unknown outcome'
      : `has waited for ${missingApproval}`
  return `${plan} ${what} for ${age} now: tillage ${kind} show ${plan}`
}
