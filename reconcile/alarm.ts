import type { OutboundStore } from '../connectors/destination/outbound.ts'
import { daysSince, lastFullReconciliation } from './last-full.ts'
import type { ReconcileSettings } from './settings.ts'

/** How a store stands against the days that may lie between two full reconciliations (INV-11). */
export interface ReconcileStanding {
  /** Undefined: none is known. */
  days: number | undefined
  limit: number
  isOverdue: boolean
  /** What needs attention, if anything does. */
  attention: string[]
}

/** Days before the limit at which somebody should know. */
const WARNS_BEFORE = 5

/** Undefined where nobody reconciles: no approvers are named, and no plan was ever made. */
export async function reconcileStanding(
  store: OutboundStore,
  storeId: string,
  { approvers, maxDaysBetween: limit }: ReconcileSettings,
  nowMs: number,
): Promise<ReconcileStanding | undefined> {
  const isUsed = approvers.length > 0 || (await store.plans('reconcile')).length > 0
  if (!isUsed) return undefined
  const lastMs = await lastFullReconciliation(store, storeId)
  const days = lastMs === undefined ? undefined : daysSince(lastMs, nowMs)
  return {
    days,
    limit,
    isOverdue: days !== undefined && days > limit,
    attention: tell(days, limit),
  }
}

export function tell(days: number | undefined, limit: number): string[] {
  if (days === undefined) return [`no full reconciliation is known; one is due each ${limit} days`]
  if (days > limit)
    return [`${days} days since the last full reconciliation, the limit is ${limit}`]
  if (days < limit - WARNS_BEFORE) return []
  return [`a full reconciliation is due in ${limit - days} days`]
}
