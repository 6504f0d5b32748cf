import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { ApplicationFailure } from '@temporalio/workflow'
import { explainFailure, failureOf, toApplicationFailure } from './failures.ts'
import { carryOutReconciliation, findReconcileWork, recordApproval } from './proxies.ts'

export interface ReconcilePlanInput {
  plan: string
  /** sha256 of the plan document. */
  hash: string
  /** Keys of those who may approve it; people are never named here (INV-10). */
  approvers: string[]
}

export interface ApprovalUpdate {
  hash: string
  person: string
  /** ISO. */
  at: string
  /**
   * As of `ReconcilePlanInput`, by the configuration of now; it may have changed since the start.
   */
  approvers?: string[]
}

/** What an apply came to: how many operations stand in which state. */
export interface Applied {
  states: Record<string, number>
  /** Operations whose attempt failed altogether, with the code of why. */
  failures: { op: string; code: string; message: string }[]
}

/** Names live in histories: never rename one. */
export const approveUpdate = defineUpdate<void, [ApprovalUpdate]>('approve')
export const applyUpdate = defineUpdate<Applied, [{ startedAt: string }]>('apply')
export const resolveUpdate = defineUpdate<Applied, [{ op: string }]>('resolve')

/** After so long without an update the workflow ends; the next update starts it anew. */
const IDLE = '1 day'

/**
 * The life of a reconciliation plan: approvals by named people, then the sending. It holds ids and
 * counts alone; how everything stands is in the database, so that a new run of it can take over at
 * any time. A second apply joins the one that is under way.
 */
export async function reconcilePlan(input: ReconcilePlanInput): Promise<void> {
  let updates = 0
  let applying: Promise<Applied> | undefined
  setHandler(
    approveUpdate,
    async ({ hash, person, at }) => {
      updates++
      await passOn(() => recordApproval({ plan: input.plan, hash, person, at }))
    },
    { validator: asked => refuseStranger(input, asked) },
  )
  setHandler(applyUpdate, async ({ startedAt }) => {
    updates++
    applying ??= apply(input.plan, startedAt).finally(() => (applying = undefined))
    return applying
  })
  setHandler(resolveUpdate, async ({ op }) => {
    updates++
    if (applying !== undefined) await applying.catch(() => {})
    return carryOutAll(input.plan, [op])
  })
  try {
    for (;;) {
      const before = updates
      const came = await condition(() => updates > before, IDLE)
      await condition(allHandlersFinished)
      if (!came || workflowInfo().continueAsNewSuggested) return
    }
  } catch (error) {
    // Callers who wait for an update are told how far it came; the operation under way is finished.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished))
    throw error
  }
}

/** Refused before anything is written, also into the history. */
function refuseStranger(input: ReconcilePlanInput, asked: ApprovalUpdate): void {
  const approvers = asked.approvers ?? input.approvers
  const refuse = (message: string, remedy: string): ApplicationFailure =>
    toApplicationFailure({ code: 'NOT_ALLOWED', message, remedy })
  if (asked.hash !== input.hash)
    throw refuse(
      'the hash is not that of the plan',
      'Look at the plan again: tillage reconcile show.',
    )
  if (!approvers.includes(asked.person))
    throw refuse(
      'this person may not approve this plan',
      'Ask somebody who may: reconcile.approvers in tillage.yaml.',
    )
}

async function apply(plan: string, startedAt: string): Promise<Applied> {
  return carryOutAll(plan, await passOn(() => findReconcileWork({ plan, startedAt })))
}

/** So often a room that was not taken is tried, each time after all others. */
const MOST_ROUNDS = 3

/** Room by room: one that waits, is parked, stale or rejected does not hold up the others. */
async function carryOutAll(plan: string, operations: readonly string[]): Promise<Applied> {
  const states = new Map<string, string>()
  const failures: Applied['failures'] = []
  let left = operations
  for (let round = 0; round < MOST_ROUNDS && left.length > 0; round++) {
    for (const op of left) {
      try {
        states.set(op, await carryOutReconciliation({ plan, op }))
      } catch (error) {
        const { code, message } = explainFailure(error)
        failures.push({ op, code, message })
        states.delete(op)
      }
    }
    left = left.filter(op => states.get(op) === 'failed')
  }
  return { states: countsOf([...states.values()]), failures }
}

const countsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map(name => [name, names.filter(one => one === name).length]))

/** An update fails with our codes, as activities do. */
async function passOn<Answer>(action: () => Promise<Answer>): Promise<Answer> {
  try {
    return await action()
  } catch (error) {
    throw toApplicationFailure(failureOf(error))
  }
}
