import type { ReconcileSettings } from '../audit/settings.ts'
import { DAY_MS, fromIso, toIso } from '../calendar/days.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import { daysSince, lastFullReconciliation } from './last-full.ts'
import { plansOfStore } from './plan-files.ts'

/** How a store stands against the days that may lie between two full reconciliations (INV-11). */
export interface ReconcileStanding {
  /** Whole days since the last one; undefined: none is known. */
  days: number | undefined
  limit: number
  isOverdue: boolean
  /** When the next is due; ISO, UTC. */
  dueAt: string
  /** What needs attention, if anything does. */
  attention: string[]
}

/** Days before the limit at which somebody should know. */
const WARNS_BEFORE = 5

export interface StandingTimes {
  nowMs: number
  /**
   * When anything of the store was read first; where nothing was reconciled yet, days count from
   * it. Asked only where somebody reconciles.
   */
  firstReadMs: () => Promise<number | undefined>
}

/** Undefined where nobody reconciles: no approvers are named, and no plan was ever made. */
export async function reconcileStanding(
  store: OutboundStore,
  storeId: string,
  { approvers, maxDaysBetween: limit }: ReconcileSettings,
  { nowMs, firstReadMs }: StandingTimes,
): Promise<ReconcileStanding | undefined> {
  const plans = await store.plans('reconcile')
  if (approvers.length === 0 && plans.length === 0) return undefined
  const lastMs = await lastFullReconciliation(store, storeId)
  const firstPlans = (await plansOfStore(store, storeId)).map(({ createdAt }) => fromIso(createdAt))
  const sinceMs = lastMs ?? Math.min((await firstReadMs()) ?? nowMs, ...firstPlans)
  const elapsedMs = nowMs - sinceMs
  return {
    days: lastMs === undefined ? undefined : daysSince(lastMs, nowMs),
    limit,
    isOverdue: elapsedMs > limit * DAY_MS,
    dueAt: toIso(sinceMs + limit * DAY_MS),
    attention: describeElapsed({ elapsedMs, limit, isKnown: lastMs !== undefined }),
  }
}

interface Elapsed {
  /** Since the last one, or since the store is known where there was none. */
  elapsedMs: number
  limit: number
  isKnown: boolean
}

function describeElapsed({ elapsedMs, limit, isKnown }: Elapsed): string[] {
  const days = Math.floor(elapsedMs / DAY_MS)
  const since = days > limit ? `${days} days` : `more than ${limit} days`
  if (elapsedMs > limit * DAY_MS)
    return isKnown
      ? [`${since} since the last full reconciliation, the limit is ${limit}`]
      : [`no full reconciliation is known in ${since}, the limit is ${limit}`]
  const left = Math.ceil(limit - elapsedMs / DAY_MS)
  const due = left === 1 ? 'in 1 day' : `in ${left} days`
  if (!isKnown) return [`no full reconciliation is known; the first is due ${due}`]
  return left > WARNS_BEFORE ? [] : [`a full reconciliation is due ${left === 0 ? 'now' : due}`]
}
