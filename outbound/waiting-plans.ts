import { DAY_MS, describeDuration } from '../calendar/days.ts'
import { describeStray } from '../connectors/destination/outbound.ts'
import type {
  OutboundOperation,
  OutboundPlan,
  OutboundRun,
  OutboundStore,
  StrayOperation,
} from '../connectors/destination/outbound.ts'
import { PlanError } from '../errors.ts'
import type { ChangeRequest } from './ask-changes.ts'
import { UNFINISHED, UNSETTLED } from './operation-states.ts'
import { describeInterrupted, endedInOrder, SENDING } from './run.ts'
import type { Interrupted } from './run.ts'

/** A plan that goes no further without somebody. */
export interface WaitingPlan {
  plan: string
  kind: OutboundPlan['kind']
  /**
   * Why: operations are parked with an unknown outcome, the process of its apply died, it is not as
   * it was planned, the last apply left something behind, somebody asked for changes, an approval
   * is lacking, the time of rows came and nobody sent them, or what was counted is over and not as
   * it was posted.
   */
  why:
    | 'parked'
    | 'interrupted'
    | 'changed'
    | 'stopped'
    | 'changes asked'
    | 'not approved'
    | 'overdue'
    | 'not as posted'
  /** The same in words. */
  detail: string
  /** ISO, UTC. */
  since: string
}

/** What the document of a plan, and whoever approved it, say. */
export interface PlanStanding {
  /** What approvals it still needs before the rest of it may be sent; undefined: none. */
  missingApproval: string | undefined
  interrupted: Interrupted | undefined
  /** Why the last apply left something behind that only another one sends, and since when. */
  stopped?: { detail: string; at: string } | undefined
  /** Rows whose time came, since the first of them, and that nobody sent. */
  overdue?: { detail: string; at: string } | undefined
  /** Who wants it otherwise. */
  asked?: ChangeRequest | undefined
}

/** Throws a `PlanError` where the plan is not as it was planned. */
export type JudgePlan = (plan: OutboundPlan) => Promise<PlanStanding>

/** What of counts is not as it was posted, although the API took it, and since when it is known. */
export type JudgeEnd = (
  operations: readonly OutboundOperation[],
) => { detail: string; at: string } | undefined

/** An older plan was looked at and left. */
export const FORGOTTEN_AFTER_MS = 14 * DAY_MS

/** Plans of a store that wait for a person, the newest first (INV-11). */
export async function waitingPlans(
  outbound: Pick<OutboundStore, 'plans' | 'openPlans' | 'operations' | 'runs' | 'strayOperations'>,
  store: string,
  { nowMs, judge, judgeEnd }: { nowMs: number; judge: JudgePlan; judgeEnd: JudgeEnd },
): Promise<WaitingPlan[]> {
  const counts = (await outbound.plans('reconcile')).filter(plan => storesOf(plan).includes(store))
  const pushes = (await outbound.plans('push')).filter(plan => storesOf(plan).includes(store))
  const open = await outbound.openPlans(UNSETTLED, SENDING)
  const waiting = [...pushes, ...counts]
    .filter(({ plan }) => open.has(plan))
    .map(async plan => {
      const operations = await outbound.operations(plan.plan)
      const runs = await outbound.runs(plan.plan)
      const waits = await waitingPlanOf(plan, { operations, runs }, { nowMs, judge })
      return waits ?? strayPlanOf(plan, await outbound.strayOperations(plan.plan))
    })
  // What a newer plan counts again is over.
  const [last] = counts
  const ended =
    last === undefined || open.has(last.plan) || isForgotten(last, nowMs)
      ? undefined
      : endedPlanOf(last, judgeEnd(await outbound.operations(last.plan)))
  return [...(await Promise.all(waiting)), ended].filter(plan => plan !== undefined)
}

const isForgotten = ({ createdAt }: Pick<OutboundPlan, 'createdAt'>, nowMs: number): boolean =>
  nowMs - Date.parse(createdAt) >= FORGOTTEN_AFTER_MS

const endedPlanOf = (
  { plan, kind }: OutboundPlan,
  end: ReturnType<JudgeEnd>,
): WaitingPlan | undefined =>
  end && { plan, kind, why: 'not as posted', detail: end.detail, since: end.at }

/** What the database alone says of a plan. */
interface Remembered {
  operations: readonly Pick<OutboundOperation, 'state' | 'changedAt'>[]
  runs: readonly OutboundRun[]
}

/** Why a plan waits for a person; undefined where it does not. */
export async function waitingPlanOf(
  plan: OutboundPlan,
  { operations, runs }: Remembered,
  { nowMs, judge }: { nowMs: number; judge: JudgePlan },
): Promise<WaitingPlan | undefined> {
  const { kind, createdAt } = plan
  const about = { plan: plan.plan, kind }
  const parked = operations.filter(({ state }) => state === 'unknown')
  if (parked.length > 0) {
    const since = parked.map(({ changedAt }) => changedAt).sort()[0]!
    return { ...about, why: 'parked', detail: PARKED, since }
  }
  const isOpen = operations.some(({ state }) => UNFINISHED.has(state))
  if (!isOpen && endedInOrder(runs)) return undefined
  const standing = await judge(plan).catch(asChanged)
  if (typeof standing === 'string')
    return { ...about, why: 'changed', detail: standing, since: createdAt }
  const { interrupted } = standing
  if (interrupted !== undefined) {
    const { startedAt: since } = interrupted
    return { ...about, why: 'interrupted', detail: describeInterrupted(interrupted), since }
  }
  const waits = isOpen ? whyOpen(standing, { createdAt, nowMs }) : undefined
  return waits === undefined ? undefined : { ...about, ...waits }
}

/** What an apply that has ended tried often enough: `stopped` of a plan's standing. */
export function notTaken(
  operations: readonly Pick<OutboundOperation, 'state' | 'changedAt'>[],
  runs: readonly Pick<OutboundRun, 'endedAt'>[],
): PlanStanding['stopped'] {
  const left = operations.filter(({ state }) => state === 'failed')
  // Between two tries of an apply that goes on, one looks the same.
  if (left.length === 0 || runs.at(-1)?.endedAt === null) return undefined
  const at = left.map(({ changedAt }) => changedAt).sort()[0]!
  return { detail: `the API has not taken ${left.length} of ${operations.length}`, at }
}

/** Why what is left of a plan is not sent by itself. */
function whyOpen(
  { missingApproval, stopped, overdue, asked }: PlanStanding,
  { createdAt, nowMs }: { createdAt: string; nowMs: number },
): Pick<WaitingPlan, 'why' | 'detail' | 'since'> | undefined {
  if (stopped !== undefined) return { why: 'stopped', detail: stopped.detail, since: stopped.at }
  if (asked !== undefined) return { why: 'changes asked', detail: asked.by, since: asked.at }
  if (overdue !== undefined) return { why: 'overdue', detail: overdue.detail, since: overdue.at }
  if (missingApproval === undefined || isForgotten({ createdAt }, nowMs)) return undefined
  return { why: 'not approved', detail: missingApproval, since: createdAt }
}

/** One that is marked as over, and by its story is not, waits for a person, too. */
function strayPlanOf(
  { plan, kind, createdAt: since }: OutboundPlan,
  strays: readonly StrayOperation[],
): WaitingPlan | undefined {
  const [first] = strays
  return first && { plan, kind, why: 'changed', detail: describeStray(first), since }
}

const PARKED = 'operations are parked with an unknown outcome'

function asChanged(error: unknown): string {
  if (error instanceof PlanError) return error.message
  throw error
}

/** A reconciliation is of one store, a push of one or several. */
export function storesOf({ facts }: OutboundPlan): string[] {
  if (typeof facts['store'] === 'string') return [facts['store']]
  const stores = Array.isArray(facts['stores']) ? (facts['stores'] as { store?: unknown }[]) : []
  return stores.flatMap(({ store }) => (typeof store === 'string' ? [store] : []))
}

/** For `status`: what waits, for how long, and where to look. */
export function describeWaiting(
  { plan, kind, why, detail, since }: WaitingPlan,
  nowMs: number,
): string {
  const age = describeDuration(Math.max(0, nowMs - Date.parse(since)))
  const show = `tillage ${kind} show ${plan}`
  if (why === 'parked')
    return `${plan} has been parked with an unknown outcome for ${age} now: ${show}`
  if (why === 'stopped')
    return `${plan} stopped ${age} ago, and nothing more of it is sent: ${detail}: ${show}`
  if (why === 'overdue')
    return `${detail} of ${plan} should have been sent ${age} ago, which tillage up does: ${show}`
  if (why === 'not approved') return `${plan} has waited for ${detail} for ${age} now: ${show}`
  if (why === 'not as posted')
    return `${plan} was posted, and ${age} ago ${detail}: look at them, and count them again: ${show}`
  if (why === 'changes asked')
    return `${plan} waits since ${detail} asked for changes of it ${age} ago: ${show}`
  return why === 'interrupted' ? `${plan}, ${detail}: ${show}` : `${detail}; nothing of it is sent`
}
