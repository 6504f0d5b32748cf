import { UsageError } from '../errors.ts'
import type { RoundControl, RoundResult } from '../outbound/round.ts'
import { inRun } from '../outbound/run.ts'
import { applyPlan as applyPush } from '../push/apply/apply-plan.ts'
import type { Push } from '../push/push.ts'
import { refuseUnasked } from '../push/waiting.ts'
import { applyCounts } from '../reconcile/apply-counts.ts'
import type { Reconciling } from '../reconcile/reconciling.ts'

/** Which plan, in which run; lives in histories. */
export interface ApplyOrder {
  plan: string
  /** Of the command that waits for it; without one, this process begins a run of its own. */
  run?: string | undefined
}

/** What writing to the API takes. */
export interface Writing {
  push: Push
  reconciling: Reconciling
}

/**
 * Carries a plan out as far as it goes now. What is sent, and whether it may be, is decided by the
 * document and the database; a history only says when.
 */
export async function applyPlan(
  { push, reconciling }: Writing,
  { plan, run }: ApplyOrder,
  signal: AbortSignal,
): Promise<RoundResult> {
  const { outbound } = push
  const kind = (await outbound.plan(plan))?.kind
  const round: RoundControl = {
    signal,
    progress(done, total) {
      push.progress = { plan, done, total }
    },
  }
  if (kind === undefined) throw new UsageError(`there is no plan ${plan}`)
  if (run !== undefined)
    return kind === 'push'
      ? applyPush(push, { plan, run }, round)
      : applyCounts(reconciling, { plan, run }, round)
  await refuseUnasked(push, plan)
  const place = { store: outbound, runner: push.runner, now: push.now }
  return inRun(place, { plan, act: 'due' }, own => applyPush(push, { plan, run: own }, round))
}

export type { RoundResult }
