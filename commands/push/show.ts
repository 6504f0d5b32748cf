import { describePlan, showPlan } from '../../push/document.ts'
import type { Context } from '../command.ts'
import type { SayOfPlan } from '../plans/say-of-plan.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push show PLAN [--people]`: the plan, and how far it is. */
export const pushShow = (
  { config, terminal }: Context,
  { store, people }: { store?: string; people?: boolean },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const document = describePlan(push, await loadNamedPlan(push, named, store))
    printPushPlan(document, terminal, { people: people === true })
    return 0
  })

export const sayOfPush: SayOfPlan = ({ config, terminal }, { plan: named, store }, say) =>
  withPush(config, async push => {
    const { plan } = await loadNamedPlan(push, named, store)
    await say({ store: push.outbound, runner: push.runner, now: push.now }, plan)
    printPushPlan(await showPlan(push, plan.plan), terminal)
    return 0
  })
