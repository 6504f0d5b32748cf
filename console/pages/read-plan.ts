import { loadPush } from '../../commands/plans/load-plans.ts'
import { describePlan } from '../../push/document.ts'
import type { PlanDocument } from '../../push/document.ts'
import { pushFolder } from '../../push/load-plan.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import type { PagePlace } from '../page.ts'

type Place = Pick<PagePlace, 'config' | 'outbound' | 'runner'>

/** A push as `push show` has it. */
export async function readPushPlan(place: Place, plan: string): Promise<PlanDocument> {
  const { config, runner } = place
  const folder = pushFolder(config.localFiles)
  return describePlan({ folder, runner, now: Date.now }, await loadPush(place, plan))
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
