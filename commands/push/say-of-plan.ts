import { askForChanges, withdrawRequest } from '../../outbound/ask-changes.ts'
import { discardPlan } from '../../outbound/discard.ts'
import { showPlan } from '../../push/document.ts'
import type { Push } from '../../push/push.ts'
import type { Context } from '../command.ts'
import { trimmed } from '../plans/said-by.ts'
import type { SaidBy } from '../plans/said-by.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push discard PLAN`: a named person gives up what was not sent. */
export const pushDiscard = (context: Context, word: SaidBy, named: string): Promise<number> =>
  sayOfPlan(context, { named, store: word.store }, (push, plan) =>
    discardPlan(placeOf(push), plan, trimmed(word)),
  )

/** `tillage push ask-changes PLAN`: a named person wants it otherwise. */
export const pushAskChanges = (context: Context, word: SaidBy, named: string): Promise<number> =>
  sayOfPlan(context, { named, store: word.store }, (push, plan) =>
    askForChanges(placeOf(push), plan, trimmed(word)),
  )

/** `tillage push withdraw-request PLAN`: whoever asked for changes takes that back. */
export const pushWithdrawRequest = (
  context: Context,
  { by, store }: Omit<SaidBy, 'reason'>,
  named: string,
): Promise<number> =>
  sayOfPlan(context, { named, store }, (push, plan) =>
    withdrawRequest(placeOf(push), plan, by.trim()),
  )

type NamedPlan = Awaited<ReturnType<typeof loadNamedPlan>>['plan']

/** Notes it, and shows how the plan stands now. */
const sayOfPlan = (
  { config, terminal }: Context,
  { named, store }: { named: string; store: string | undefined },
  say: (push: Push, plan: NamedPlan) => Promise<unknown>,
): Promise<number> =>
  withPush(config, async push => {
    const { plan } = await loadNamedPlan(push, named, store)
    await say(push, plan)
    printPushPlan(await showPlan(push, plan.plan), terminal)
    return 0
  })

const placeOf = ({ outbound, runner, now }: Push) => ({ store: outbound, runner, now })
