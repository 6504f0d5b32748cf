import { activityInfo, getClient } from '@temporalio/activity'
import type { OutboundPlan, RunOutcome } from '../connectors/destination/outbound.ts'
import { TillageError, UsageError } from '../errors.ts'
import type { RoundControl, RoundResult } from '../outbound/round.ts'
import { inRun } from '../outbound/run.ts'
import type { RunPlace } from '../outbound/run.ts'
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
  /** For people, about what takes long. */
  say(line: string): void
}

/**
 * Carries a plan out as far as it goes now. What is sent, and whether it may be, is decided by the
 * document and the database; a history only says when.
 */
export async function applyPlan(
  writing: Writing,
  { plan, run }: ApplyOrder,
  signal: AbortSignal,
): Promise<RoundResult> {
  const { push } = writing
  const { outbound, runner, now } = push
  const kind = (await outbound.plan(plan))?.kind
  if (kind === undefined) throw new UsageError(`there is no plan ${plan}`)
  if (run !== undefined) return carryOut(writing, { kind, plan, run }, signal)
  await refuseUnasked(push, plan)
  return inRun({ store: endingWhenHeard(push), runner, now }, { plan, act: 'due' }, async own => {
    try {
      return await carryOut(writing, { kind, plan, run: own }, signal)
    } catch (error) {
      if (!signal.aborted) throw error
      throw (await isEndedByHand(signal)) ? endedByHand(plan) : signal.reason
    }
  })
}

/** For two minutes. */
const TRIES = { most: 60, pauseMs: 2_000 }

/**
 * Nobody waits for rows that are due, so a database that is away is waited for: a run of which it
 * never heard that it ended would seem to have been interrupted.
 */
export const endingWhenHeard = ({
  outbound,
  sleep,
}: Pick<Push, 'sleep'> & { outbound: RunPlace['store'] }): RunPlace['store'] => {
  let tries = 0
  let said: RunOutcome | undefined
  return {
    runs: plan => outbound.runs(plan),
    beginRun: (begun, after) => outbound.beginRun(begun, after),
    renewRun: (run, until) => outbound.renewRun(run, until),
    async endRun(run, at, outcome) {
      // What it came to first, not that this was not heard.
      said ??= outcome
      for (;;) {
        try {
          return await outbound.endRun(run, at, said)
        } catch (error) {
          const isPassing = error instanceof TillageError && error.recovery === 'retry'
          if (!isPassing || ++tries >= TRIES.most) throw error
          await sleep(TRIES.pauseMs)
        }
      }
    },
  }
}

/** What was broken off is not done: it fails with why it was. */
async function carryOut(
  { push, reconciling, say }: Writing,
  { kind, plan, run }: Pick<OutboundPlan, 'plan' | 'kind'> & { run: string },
  signal: AbortSignal,
): Promise<RoundResult> {
  const round: RoundControl = {
    signal,
    progress(done, total) {
      push.progress = { plan, done, total }
    },
    say,
  }
  if (kind !== 'push') await reconciling.bring()
  const result =
    kind === 'push'
      ? await applyPush(push, { plan, run }, round)
      : await applyCounts(reconciling, { plan, run }, round)
  signal.throwIfAborted()
  return result
}

/**
 * Somebody ended it in Temporal: then it is over until a person goes on with it. Else its worker
 * stops, or was taken for gone, and what is due goes on with another one.
 */
async function isEndedByHand({ reason }: AbortSignal): Promise<boolean> {
  const { message } = reason as Error
  if (message !== 'NOT_FOUND') return message === 'CANCELLED'
  const { workflowId, runId } = activityInfo().workflowExecution!
  try {
    const { status } = await getClient().workflow.getHandle(workflowId, runId).describe()
    return status.name !== 'RUNNING'
  } catch {
    return false
  }
}

const endedByHand = (plan: string): TillageError =>
  new TillageError('INTERRUPTED', `the sending of ${plan} was ended in Temporal`, {
    remedy: `Look at it: tillage push show ${plan}. To go on: tillage push apply ${plan}`,
  })

export type { RoundResult }
