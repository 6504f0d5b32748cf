import type { OperationState } from '../../connectors/destination/outbound.ts'
import { settle } from '../../outbound/send.ts'
import { loadPlan } from '../load-plan.ts'
import type { RememberedPlan } from '../load-plan.ts'
import { finishReceipts } from './receipts.ts'
import { idOfApplied, sendingOf } from './sending.ts'
import type { PlanRun } from './sending.ts'
import { openStoreRun } from './store-run.ts'

/** States of which nobody can say yet whether the API has it. */
const PERHAPS_SENT: ReadonlySet<OperationState> = new Set(['submitted', 'unknown', 'failed'])

/**
 * Finds out of each operation of a store that may have been sent whether it was, and sends nothing:
 * what the API has gets its receipt, what it certainly has not is given up.
 */
export async function settleStore(plan: PlanRun, store: string): Promise<RememberedPlan> {
  const { push, remembered, signal } = plan
  const unsettled = remembered.operations.filter(
    ({ planned, stands }) => planned.store === store && PERHAPS_SENT.has(stands.state),
  )
  if (unsettled.length > 0) {
    const ids = idsOf(remembered)
    const run = await openStoreRun(push, remembered, { store, ids, signal })
    for (const { planned, stands } of unsettled)
      await settle(sendingOf(plan, run, planned, stands), stands, 'its plan is being undone')
  }
  await finishReceipts(push, await loadPlan(push, remembered.plan.plan))
  return loadPlan(push, remembered.plan.plan)
}

const idsOf = ({ operations }: RememberedPlan): ReadonlyMap<string, string> =>
  new Map(
    operations.flatMap(({ planned, stands }) => {
      const id = idOfApplied(planned, stands)
      return id === undefined ? [] : [[planned.id, id] as const]
    }),
  )
