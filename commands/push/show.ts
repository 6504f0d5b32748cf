import { describePlan } from '../../push/document.ts'
import type { Context } from '../command.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push show PLAN`: the plan, and how far it is. */
export const pushShow = (
  { config, terminal }: Context,
  { store }: { store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    printPushPlan(describePlan(push, await loadNamedPlan(push, named, store)), terminal)
    return 0
  })
