import type { Config } from '../../config.ts'
import type { OutboundPlan, OutboundStore } from '../../connectors/destination/outbound.ts'
import { loadPlan, pushFolder } from '../../push/load-plan.ts'
import type { RememberedPlan as RememberedPush } from '../../push/load-plan.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import { rememberPlan } from '../../reconcile/remembered.ts'
import type { RememberedPlan as RememberedCounts } from '../../reconcile/remembered.ts'

/** Where plans of both kinds lie, and are remembered. */
export interface PlanPlace {
  config: Config
  outbound: OutboundStore
}

export const loadPush = (
  { config: { localFiles, push: settings }, outbound }: PlanPlace,
  plan: string,
): Promise<RememberedPush> => loadPlan({ outbound, folder: pushFolder(localFiles), settings }, plan)

export async function loadCounts(
  { config: { exports, reconcile: settings }, outbound: store }: PlanPlace,
  plan: string,
): Promise<RememberedCounts> {
  return rememberPlan({ store, settings }, await openReconciliation({ store, exports }, plan))
}
