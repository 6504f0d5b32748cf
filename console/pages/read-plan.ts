import { describePlan } from '../../push/document.ts'
import type { PlanDocument } from '../../push/document.ts'
import { loadPlan, pushFolder } from '../../push/load-plan.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import type { PagePlace } from '../page.ts'

type Place = Pick<PagePlace, 'config' | 'outbound' | 'runner'>

/** A push as `push show` has it. */
export async function readPushPlan(
  { config, outbound, runner }: Place,
  plan: string,
): Promise<PlanDocument> {
  const place = { outbound, folder: pushFolder(config.localFiles), settings: config.push }
  return describePlan({ ...place, runner, now: Date.now }, await loadPlan(place, plan))
}

/** A reconciliation as `reconcile show` has it. */
export async function readReconcilePlan(
  { config, outbound: store, runner }: Place,
  plan: string,
): Promise<ShownPlan> {
  const { exports, reconcile: settings } = config
  const kept = await openReconciliation({ store, exports }, plan)
  return showPlan({ store, settings, runner, now: Date.now }, kept)
}
