import type { Config } from '../../config.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { lackingApproval } from '../../outbound/approval.ts'
import { openRequests } from '../../outbound/ask-changes.ts'
import { findInterrupted } from '../../outbound/run.ts'
import { notTaken } from '../../outbound/waiting-plans.ts'
import type { JudgePlan } from '../../outbound/waiting-plans.ts'
import { standingOf } from '../../push/document.ts'
import { loadPlan, pushFolder } from '../../push/load-plan.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import { carriedOf } from '../../reconcile/receipts.ts'
import { rulesOf } from '../../reconcile/rules.ts'
import { thisProcess } from '../../temporal/this-process.ts'

/** What the document of a plan, and whoever approved it, say now. */
export const judgePlanOf = (config: Config, outbound: OutboundStore): JudgePlan => {
  const { localFiles, exports, push: settings } = config
  const at = { runner: thisProcess(), nowMs: Date.now() }
  return async ({ kind, plan }) => {
    if (kind === 'push')
      return standingOf(
        await loadPlan({ outbound, folder: pushFolder(localFiles), settings }, plan),
        at,
      )
    const kept = await openReconciliation({ store: outbound, exports }, plan)
    const rules = rulesOf(kept, config.reconcile)
    const operations = await outbound.operations(plan)
    const carried = carriedOf(operations, await outbound.receipts(plan))
    const ids = operations.map(({ op }) => op)
    const runs = await outbound.runs(plan)
    return {
      missingApproval: lackingApproval(rules, await outbound.approvals(plan), ids, at.nowMs),
      interrupted: findInterrupted(runs, carried, at),
      stopped: notTaken(operations, runs),
      asked: openRequests(await outbound.events(plan))[0],
    }
  }
}
