import { discardPlan } from '../../outbound/discard.ts'
import { showPlan } from '../../push/document.ts'
import type { Context } from '../command.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push discard PLAN`: a named person gives up what was not sent. */
export const pushDiscard = (
  { config, terminal }: Context,
  { by, reason, store }: { by: string; reason: string; store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const { plan } = await loadNamedPlan(push, named, store)
    const { outbound, runner, now } = push
    const word = { by: by.trim(), reason: reason.trim() }
    await discardPlan({ store: outbound, runner, now }, plan, word)
    printPushPlan(await showPlan(push, plan.plan), terminal)
    return 0
  })
