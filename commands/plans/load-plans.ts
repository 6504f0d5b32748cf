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

/** What it takes to read a reconciliation, and to decide about it. */
export type CountsReader = Pick<Reconciling, 'store' | 'settings' | 'exports' | 'runner' | 'now'>

export const countsReaderOf = ({
  config: { exports, reconcile: settings },
  outbound: store,
}: PlanPlace): CountsReader => ({ store, settings, exports, runner: thisProcess(), now: Date.now })

export async function loadCounts(place: PlanPlace, plan: string): Promise<RememberedCounts> {
  const reader = countsReaderOf(place)
  return rememberPlan(reader, await openReconciliation(reader, plan))
}

/** A reconciliation as `reconcile show` has it. */
export async function showCounts(place: PlanPlace, plan: string): Promise<ShownCounts> {
  const reader = countsReaderOf(place)
  return showPlan(reader, await openReconciliation(reader, plan))
}
