import { describePlan } from '../../push/document.ts'
import { loadPlan } from '../../push/find-plan.ts'
import type { Context } from '../command.ts'
import { findNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push show PLAN`: the plan, and how far it is. */
export const pushShow = (
  { config, terminal }: Context,
  { store }: { store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const remembered = await loadPlan(push, await findNamedPlan(push, named, store))
    printPushPlan(describePlan(remembered, push.now()), terminal)
    return 0
  })
