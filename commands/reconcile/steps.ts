import { UsageError } from '../../errors.ts'
import { approvePlan } from '../../outbound/approve.ts'
import { refuseDiscarded } from '../../outbound/discard.ts'
import type { RoundResult } from '../../outbound/round.ts'
import { describeInterrupted } from '../../outbound/run.ts'
import { CHOICES } from '../../reconcile/operation-facts.ts'
import type { Choice } from '../../reconcile/operation-facts.ts'
import { openReconciliation } from '../../reconcile/plan-files.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { askResolution } from '../../reconcile/resolve.ts'
import { rulesOf } from '../../reconcile/rules.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import { originHere } from '../../temporal/this-process.ts'
import { refuseOtherStores } from '../arguments/choices.ts'
import type { Context } from '../command.ts'
import { carryOutPlan } from '../plans/carry-out-plan.ts'
import { listPlans, printPlans } from '../plans/list-plans.ts'
import type { SayOfPlan } from '../plans/say-of-plan.ts'
import { countOf } from '../terminal/number.ts'
import { hasTrouble, printReconcilePlan, shownNow, withReconciling } from './plans.ts'

/** The plan that was named; `--store` may only name the store that it is of. */
async function open({ config }: Context, plan: string, store?: string): Promise<KeptPlan> {
  const kept = await withReconciling(config, reader => openReconciliation(reader, plan))
  refuseOtherStores(kept.document.plan, [kept.document.store], store)
  return kept
}

/**
 * `tillage reconcile approve PLAN --by NAME`: 1 where this person may not approve, or the hash is
 * another one.
 */
export async function reconcileApprove(
  context: Context,
  { by, hash, store: named }: { by: string; hash?: string; store?: string },
  plan: string,
): Promise<number> {
  const kept = await open(context, plan, named)
  await withReconciling(context.config, ({ store, settings, now }) => {
    const judged = { plan: kept.plan, rules: rulesOf(kept, settings) }
    return approvePlan(store, judged, { by, hash, atMs: now(), origin: originHere() })
  })
  const shown = await shownNow(context, kept)
  const { approvals, requiredApprovals, state } = shown
  const { terminal } = context
  if (terminal.json)
    terminal.print(
      JSON.stringify({ plan: shown.plan, hash: shown.hash, state, approvals, requiredApprovals }),
    )
  else
    terminal.print(
      [
        ...approvals.map(one => `${one.by} (${one.role}) approved ${shown.plan} at ${one.at}.`),
        state === 'planned'
          ? 'A second person must approve it as well.'
          : `It is ${state}. Send it with: tillage reconcile apply ${shown.plan}`,
      ].join('\n'),
    )
  return 0
}

/**
 * `tillage reconcile apply PLAN`: 3 where something is parked, stale or was rejected; 1 where it is
 * not approved.
 */
export async function reconcileApply(
  context: Context,
  { store }: { store?: string },
  plan: string,
): Promise<number> {
  const kept = await open(context, plan, store)
  const { interrupted } = await shownNow(context, kept)
  if (interrupted === null)
    await withReconciling(context.config, async reader =>
      refuseDiscarded(kept.plan, await reader.store.events(kept.plan.plan)),
    )
  else context.terminal.log(`${describeInterrupted(interrupted)}; going on with the rest`)
  const order = { plan: kept.document.plan, act: 'apply' } as const
  return conclude(context, kept, await carryOutPlan(context, order))
}

async function conclude(
  context: Context,
  kept: KeptPlan,
  { failures }: RoundResult,
): Promise<number> {
  for (const { op, code, message } of failures) context.terminal.log(`${op}: ${code}: ${message}`)
  const shown = await shownNow(context, kept)
  printReconcilePlan(context, shown)
  return hasTrouble(shown) || failures.length > 0 ? 3 : 0
}

/** `tillage reconcile show PLAN`: its story from count to receipt. Only reads. */
export async function reconcileShow(
  context: Context,
  { store }: { store?: string },
  plan: string,
): Promise<number> {
  printReconcilePlan(context, await shownNow(context, await open(context, plan, store)))
  return 0
}

export const sayOfCount: SayOfPlan = async (context, { plan, store }, say) => {
  const kept = await open(context, plan, store)
  await withReconciling(context.config, reader => say(reader, kept.plan))
  printReconcilePlan(context, await shownNow(context, kept))
  return 0
}

/** `tillage reconcile list`: lists every plan, newest first, with its state. */
export async function reconcileList(
  context: Context,
  { store }: { store?: string },
): Promise<number> {
  const plans = await withReconciling(context.config, reader =>
    listPlans(reader.store, 'reconcile', store, async ({ plan }) => {
      const shown = await showPlan(reader, await openReconciliation(reader, plan))
      const changed = shown.lines.filter(({ delta }) => delta !== '0').length
      return { state: shown.state, says: `${countOf(changed, 'line')} of ${shown.audit}` }
    }),
  )
  return printPlans(context.terminal, plans)
}

export interface ResolveOptions {
  as: string
  by: string
  reason: string
  store?: string
}

/** `tillage reconcile resolve PLAN OP`: a named person's answer to a parked operation. */
export async function reconcileResolve(
  context: Context,
  { as, by, reason, store: named }: ResolveOptions,
  plan: string,
  op: string,
): Promise<number> {
  if (!(CHOICES as readonly string[]).includes(as))
    throw new UsageError(`--as is ${as}`, `It must be one of: ${CHOICES.join(', ')}.`)
  const kept = await open(context, plan, named)
  const of = { plan: kept.document.plan, op }
  const decision = { as: as as Choice, by: by.trim(), reason: reason.trim() }
  await withReconciling(context.config, reader => askResolution(reader, of, decision))
  const order = { plan: of.plan, act: 'resolve' } as const
  return conclude(context, kept, await carryOutPlan(context, order))
}
