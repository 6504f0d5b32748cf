import { describePlan } from '../../push/document.ts'
import { findPlan, loadPlan } from '../../push/find-plan.ts'
import type { Context } from '../command.ts'
import { withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push show PLAN`: the plan, and how far it is. */
export const pushShow = (
  { config, terminal }: Context,
  _options: object,
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const remembered = await loadPlan(push, await findPlan(push, named))
    printPushPlan(describePlan(remembered, push.now()), terminal)
    return 0
  })
