import type { JudgePlan } from '../../outbound/waiting-plans.ts'
import { standingOf as standingOfPush } from '../../push/document.ts'
import { standingOf as standingOfCounts } from '../../reconcile/remembered.ts'
import { thisProcess } from '../../temporal/this-process.ts'
import { loadCounts, loadPush } from './load-plans.ts'
import type { PlanPlace } from './load-plans.ts'

/** What the document of a plan, and whoever approved it, say now. */
export const judgePlanOf = (place: PlanPlace): JudgePlan => {
  const at = { runner: thisProcess(), nowMs: Date.now() }
  return async ({ kind, plan }) =>
    kind === 'push'
      ? standingOfPush(await loadPush(place, plan), at)
      : standingOfCounts(await loadCounts(place, plan), at)
}
