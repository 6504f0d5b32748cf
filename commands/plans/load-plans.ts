import type { Config } from '../../config.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { describePlan as describePush } from '../../push/document.ts'
import type { PlanDocument as ShownPush } from '../../push/document.ts'
import { loadPlan, pushFolder } from '../../push/load-plan.ts'
import type { RememberedPlan as RememberedPush } from '../../push/load-plan.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { rememberPlan } from '../../reconcile/remembered.ts'
import type { RememberedPlan as RememberedCounts } from '../../reconcile/remembered.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan as ShownCounts } from '../../reconcile/show-plan.ts'
import { thisProcess } from '../../temporal/this-process.ts'

/** Where plans of both kinds lie, and are remembered. */
export interface PlanPlace {
  config: Pick<Config, 'localFiles' | 'exports' | 'push' | 'reconcile'>
  outbound: OutboundStore
}

export const loadPush = (
  { config: { localFiles, push: settings }, outbound }: PlanPlace,
  plan: string,
): Promise<RememberedPush> => loadPlan({ outbound, folder: pushFolder(localFiles), settings }, plan)

/** A push as `push show` has it. */
export async function showPush(place: PlanPlace, plan: string): Promise<ShownPush> {
  const folder = pushFolder(place.config.localFiles)
  const at = { folder, runner: thisProcess(), now: Date.now }
  return describePush(at, await loadPush(place, plan))
}

/** What looking at a reconciliation takes, and deciding about it. */
export type Looking = Pick<Reconciling, 'store' | 'settings' | 'exports' | 'runner' | 'now'>

export const lookingAt = ({
  config: { exports, reconcile: settings },
  outbound: store,
}: PlanPlace): Looking => ({ store, settings, exports, runner: thisProcess(), now: Date.now })

export async function loadCounts(place: PlanPlace, plan: string): Promise<RememberedCounts> {
  const looking = lookingAt(place)
  return rememberPlan(looking, await openReconciliation(looking, plan))
}

/** A reconciliation as `reconcile show` has it. */
export async function showCounts(place: PlanPlace, plan: string): Promise<ShownCounts> {
  const looking = lookingAt(place)
  return showPlan(looking, await openReconciliation(looking, plan))
}
