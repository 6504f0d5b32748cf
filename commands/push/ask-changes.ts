import { askForChanges, withdrawRequest } from '../../outbound/ask-changes.ts'
import { showPlan } from '../../push/document.ts'
import type { Context } from '../command.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push ask-changes PLAN`: a named person wants it otherwise. */
export const pushAskChanges = (
  { config, terminal }: Context,
  { by, reason, store }: { by: string; reason: string; store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const { plan } = await loadNamedPlan(push, named, store)
    const { outbound, runner, now } = push
    const word = { by: by.trim(), reason: reason.trim() }
    await askForChanges({ store: outbound, runner, now }, plan, word)
    printPushPlan(await showPlan(push, plan.plan), terminal)
    return 0
  })

/** `tillage push withdraw-request PLAN`: whoever asked for changes takes that back. */
export const pushWithdrawRequest = (
  { config, terminal }: Context,
  { by, store }: { by: string; store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const { plan } = await loadNamedPlan(push, named, store)
    await withdrawRequest({ store: push.outbound, now: push.now }, plan, by.trim())
    printPushPlan(await showPlan(push, plan.plan), terminal)
    return 0
  })
