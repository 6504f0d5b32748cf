import { auditFolder, seal } from '../audit/folder.ts'
import { toIso } from '../calendar/days.ts'
import type { OperationState, OutboundOperation } from '../connectors/destination/outbound.ts'
import { refuseUnapprovedRun } from '../outbound/approve.ts'
import { refuseDiscarded } from '../outbound/discard.ts'
import { aloneInStore } from '../outbound/in-store.ts'
import { NOT_SENT } from '../outbound/operation-states.ts'
import { isOfPart } from '../outbound/round.ts'
import type { RoundControl, RoundResult } from '../outbound/round.ts'
import { carryOut } from '../outbound/send.ts'
import { refuseOtherTarget } from '../outbound/target.ts'
import { openWork } from './open-work.ts'
import type { OpenWork, PlanRun } from './open-work.ts'
import { factsOf } from './operation-facts.ts'
import { openReconciliation } from './plan-files.ts'
import { finishReceipts, isUndone, keepReceipt, needsReceipt } from './receipts.ts'
import type { Reconciling } from './reconciling.ts'
import { carryOutDecision } from './resolve.ts'
import { rulesOf } from './rules.ts'
import { verifyPosting } from './verify-posting.ts'

/**
 * Posts what is approved, room by room: one that is parked, stale or rejected does not hold up the
 * others. A run that was begun for a person's decision carries out that alone. Of a plan that was
 * given up, what the API has is still verified, and gets its receipt.
 */
export async function applyCounts(
  reconciling: Reconciling,
  { plan: id, run }: { plan: string; run: string },
  round: RoundControl,
): Promise<RoundResult> {
  const { store, settings, now } = reconciling
  const kept = await openReconciliation(reconciling, id)
  const operations = await store.operations(id)
  await finishReceipts(reconciling, kept, operations)
  const work = operations.filter(await workOf(reconciling, { plan: id, run }))
  if (work.length === 0 || work.some(({ state }) => state !== 'confirmed'))
    refuseDiscarded(kept.plan, await store.events(id))
  if (work.some(({ state }) => NOT_SENT.has(state)))
    await refuseUnapprovedRun(store, { plan: kept.plan, rules: rulesOf(kept, settings) }, now())
  if (work.length === 0) return { done: 0, nextDueAt: null, failures: [] }
  const plan: PlanRun = { reconciling, kept, run, signal: round.signal }
  const operationsLeft = work.map(({ op }) => op)
  const alone = { store: kept.document.store, run }
  return aloneInStore(store, alone, round, () => postAll(plan, operationsLeft, round))
}

async function postAll(
  plan: PlanRun,
  operations: readonly string[],
  { progress }: RoundControl,
): Promise<RoundResult> {
  await refuseOther(plan)
  const failures: RoundResult['failures'] = []
  const total = operations.length
  let left = operations
  for (let turn = 0; turn < MOST_TURNS && left.length > 0; turn++) {
    left = await carryOutAll(plan, left, failures)
    progress(total - left.length, total)
  }
  return { done: total - left.length - failures.length, nextDueAt: null, failures }
}

/** So often a room that was not taken is tried, each time after all others. */
const MOST_TURNS = 3

/** One room after the other; answers those that were not taken, and may be tried again. */
async function carryOutAll(
  plan: PlanRun,
  operations: readonly string[],
  failures: RoundResult['failures'],
): Promise<string[]> {
  const notTaken: string[] = []
  for (const op of operations) {
    if (plan.signal.aborted) break
    const outcome = await attempt(plan, op)
    if (typeof outcome === 'object') failures.push({ op, ...outcome })
    else if (outcome === 'failed') notTaken.push(op)
  }
  return notTaken
}

/** What a run is for: everything that is not done, or what a person has just decided. */
async function workOf(
  { store }: Reconciling,
  { plan, run }: { plan: string; run: string },
): Promise<(operation: OutboundOperation) => boolean> {
  const begun = (await store.runs(plan)).find(one => one.run === run)
  return begun?.act === 'resolve'
    ? operation => factsOf(operation).resolution !== undefined
    : isUndone
}

/** Before the first operation: whoever answers there must be whom the plan was made for. */
async function refuseOther({ reconciling, kept, signal }: PlanRun): Promise<void> {
  const { plan, store, target } = kept.document
  refuseOtherTarget({ plan, store }, target, await reconciling.target(store, signal))
}

/** What is wrong with the plan ends the run; what is wrong with a room leaves it to the next. */
async function attempt(
  plan: PlanRun,
  op: string,
): Promise<OperationState | { code: string; message: string }> {
  try {
    return await carryOutOperation(plan, op)
  } catch (error) {
    if (!isOfPart(error)) throw error
    return { code: error.code, message: error.message }
  }
}

/** Brings one operation as far as it goes, verifies it and writes its receipt. */
async function carryOutOperation(plan: PlanRun, op: string): Promise<OperationState> {
  const work = await openWork(plan, op)
  const { operation } = work.posting
  const { resolution } = factsOf(operation)
  if (operation.state === 'unknown' && resolution !== undefined)
    await carryOutDecision(work, resolution)
  else await carryOut(work.sending, operation)
  return finish(work)
}

async function finish(work: OpenWork): Promise<OperationState> {
  const { reconciling, kept } = work.plan
  const { store, audit } = kept.document
  const operation = await verified(work)
  if (needsReceipt(operation)) await keepReceipt(reconciling, kept, operation)
  await seal(reconciling.store, auditFolder(reconciling.exports, store, audit))
  return operation.state
}

/** The quantities are read again, once, of what the API has taken from us. */
async function verified(work: OpenWork): Promise<OutboundOperation> {
  const { posting } = work
  const operation = await work.current()
  const { sent, verifiedAt } = factsOf(operation)
  if (operation.state !== 'confirmed' || verifiedAt !== undefined || sent === undefined)
    return operation
  const facts = await verifyPosting(work.sending, posting, operation)
  const { plan, op } = operation
  const detail = (facts.discrepancies ?? [])
    .map(one => `${one.batch_id}: ${one.discrepancy}`)
    .join('; ')
  const step = { from: ['confirmed'], to: 'confirmed', event: 'verified', detail } as const
  await posting.store.move({ plan, op, ...step, facts: { ...facts }, at: toIso(posting.now()) })
  return work.current()
}
