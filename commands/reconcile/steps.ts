import { personKey } from '../../activities/reconcile.ts'
import { TillageError, UsageError } from '../../errors.ts'
import { judgeApproval } from '../../outbound/approval.ts'
import { CHOICES } from '../../reconcile/operation-facts.ts'
import type { Choice } from '../../reconcile/operation-facts.ts'
import { openPlan } from '../../reconcile/plan-files.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { askResolution, rulesOf } from '../../reconcile/reconciler.ts'
import { writesStopped } from '../../temporal/update-workflow.ts'
import type { Applied } from '../../workflows/reconcile-plan.ts'
import { refuseOtherStores } from '../arguments/choices.ts'
import type { Context } from '../command.ts'
import {
  approverKeys,
  hasTrouble,
  printReconcilePlan,
  shownNow,
  updatePlan,
  withOutbound,
} from './plans.ts'

/** The plan that was named; `--store` may only name the store that it is of. */
async function open({ config }: Context, plan: string, store?: string): Promise<KeptPlan> {
  const kept = await withOutbound(config, outbound => openPlan(outbound, plan))
  refuseOtherStores(kept.document.plan, [kept.document.store], store)
  return kept
}

/**
 * `tillage reconcile approve PLAN --by NAME`: 1 where this person may not approve, or the hash is
 * another one.
 */
export async function reconcileApprove(
  context: Context,
  { by, hash, store }: { by: string; hash?: string; store?: string },
  plan: string,
): Promise<number> {
  const kept = await open(context, plan, store)
  const at = new Date()
  await refuseEarly(context, kept, { by, hash, atMs: at.getTime() })
  await updatePlan(context, kept, 'approve', {
    hash: kept.hash,
    person: personKey(by),
    at: at.toISOString(),
    approvers: approverKeys(context.config, kept),
  })
  const shown = await shownNow(context, kept)
  const { approvals, requiredApprovals, state } = shown
  const { terminal } = context
  if (terminal.json)
    terminal.print(
      JSON.stringify({ plan: shown.plan, hash: kept.hash, state, approvals, requiredApprovals }),
    )
  else
    terminal.print(
      [
        ...approvals.map(one => `${one.by} (${one.role}) approved ${shown.plan} at ${one.at}.`),
        state === 'planned'
          ? 'Another person must approve it, too.'
          : `It is ${state}. Send it with: tillage reconcile apply ${shown.plan}`,
      ].join('\n'),
    )
  return 0
}

/** With the reason, which a history must not hold: it names people. */
const refuseEarly = async (
  { config }: Context,
  kept: KeptPlan,
  asked: { by: string; hash: string | undefined; atMs: number },
): Promise<void> =>
  withOutbound(config, async store => {
    const given = await store.approvals(kept.document.plan)
    const judged = judgeApproval(rulesOf(kept, config.reconcile), given, asked)
    if (judged.allowed) return
    throw new TillageError('NOT_ALLOWED', judged.why, {
      remedy: 'Nothing was recorded. tillage reconcile show tells who has approved so far.',
    })
  })

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
  const startedAt = new Date().toISOString()
  const applied = await updatePlan<Applied>(context, kept, 'apply', { startedAt })
  return conclude(context, kept, applied)
}

async function conclude(context: Context, kept: KeptPlan, applied: Applied): Promise<number> {
  if (applied.failures.some(({ code }) => code === 'INTERRUPTED')) throw writesStopped()
  for (const { op, code, message } of applied.failures)
    context.terminal.log(`${op}: ${code}: ${message}`)
  const shown = await shownNow(context, kept)
  printReconcilePlan(context, shown)
  return hasTrouble(shown) || applied.failures.length > 0 ? 3 : 0
}

/** `tillage reconcile show PLAN`: its story from count to receipt. Only looks. */
export async function reconcileShow(
  context: Context,
  { store }: { store?: string },
  plan: string,
): Promise<number> {
  printReconcilePlan(context, await shownNow(context, await open(context, plan, store)))
  return 0
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
  const { config } = context
  await withOutbound(config, store =>
    askResolution(
      { store, now: Date.now },
      { plan: kept.document.plan, op },
      { as: as as Choice, by: by.trim(), reason: reason.trim() },
    ),
  )
  return conclude(context, kept, await updatePlan<Applied>(context, kept, 'resolve', { op }))
}
