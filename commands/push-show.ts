import { describePlan } from '../push/document.ts'
import { findPlan, recallPlan } from '../push/find-plan.ts'
import type { Context } from './command.ts'
import { withPush } from './open-push.ts'
import { printPlan } from './print-plan.ts'

/** `tillage push show PLAN`: the plan, and how far it is. */
export const pushShow = (
  { config, terminal }: Context,
  _options: object,
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const remembered = await recallPlan(push, await findPlan(push, named))
    printPlan(describePlan(remembered, push.now()), terminal)
    return 0
  })
