import type { Config } from '../../config.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { findInterrupted } from '../../outbound/run.ts'
import type { JudgePlan } from '../../outbound/waiting-plans.ts'
import { lackingApproval as lackingPushApproval } from '../../push/document.ts'
import { loadPlan, pushFolder } from '../../push/load-plan.ts'
import { sends } from '../../push/operation.ts'
import { lackingApproval } from '../../reconcile/lacking-approval.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import { thisProcess } from '../../temporal/this-process.ts'

/** What the document of a plan, and whoever approved it, say now. */
export const judgePlanOf = (config: Config, outbound: OutboundStore): JudgePlan => {
  const { database, exports, push: settings } = config
  const at = { runner: thisProcess(), nowMs: Date.now() }
  return async ({ kind, plan }) => {
    if (kind === 'push') {
      const remembered = await loadPlan({ outbound, folder: pushFolder(database), settings }, plan)
      const sending = remembered.operations.filter(({ planned }) => sends(planned))
      const states = sending.map(({ stands }) => stands)
      return {
        missingApproval: lackingPushApproval(remembered, at.nowMs),
        interrupted: findInterrupted(remembered.runs, states, at),
      }
    }
    const kept = await openReconciliation({ store: outbound, exports }, plan)
    const runs = await outbound.runs(plan)
    const given = await outbound.approvals(plan)
    return {
      missingApproval: lackingApproval(kept, given, config.reconcile, at.nowMs),
      interrupted: findInterrupted(runs, await outbound.operations(plan), at),
    }
  }
}
