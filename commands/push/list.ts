import { describePlan } from '../../push/document.ts'
import { loadPlan } from '../../push/load-plan.ts'
import { summarize } from '../../push/summary.ts'
import type { Context } from '../command.ts'
import { listPlans, printPlans } from '../plans/list-plans.ts'
import { withPush } from './open-push.ts'

/** `tillage push list`: lists every plan, newest first, with its state. */
export const pushList = (
  { config, terminal }: Context,
  { store }: { store?: string },
): Promise<number> =>
  withPush(config, async push => {
    const plans = await listPlans(push.outbound, 'push', store, async ({ plan }) => {
      const document = describePlan(push, await loadPlan(push, plan))
      const what = document.kind === 'undo' ? `undo of ${document.of}` : document.entity
      const operations = document.stores.flatMap(one => one.operations)
      return { state: document.state, says: `${what}: ${summarize(operations)}` }
    })
    return printPlans(terminal, plans)
  })
