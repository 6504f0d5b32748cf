import type { OperationState, OutboundOperation } from '../../connectors/destination/outbound.ts'
import { PlanError, TillageError } from '../../errors.ts'
import { refuseUnapprovedRun } from '../../outbound/approve.ts'
import { refuseDiscarded } from '../../outbound/discard.ts'
import { aloneInStore } from '../../outbound/in-store.ts'
import { UNSETTLED } from '../../outbound/operation-states.ts'
import { isAllowed } from '../../outbound/remembered.ts'
import { isOfPart } from '../../outbound/round.ts'
import type { RoundControl, RoundResult } from '../../outbound/round.ts'
import { carryOut } from '../../outbound/send.ts'
import { APPLIED, isAhead, STOPPED, STORE_FAILED } from '../document.ts'
import { loadPlan } from '../load-plan.ts'
import type { RememberedPlan } from '../load-plan.ts'
import { sends } from '../operation.ts'
import type { Operation } from '../operation.ts'
import type { Push } from '../push.ts'
import { describeInverse } from '../summary.ts'
import { finishReceipts, keepReceipt, needsReceipt } from './receipts.ts'
import { idOfApplied, sendingOf } from './sending.ts'
import type { PlanRun } from './sending.ts'
import { openStoreRun } from './store-run.ts'
import type { StoreRun } from './store-run.ts'
import { CANARY_WRITES, isWritten, whyStop } from './thresholds.ts'

/**
 * Sends what is approved and due, once. Everything that it does is decided by the document and by
 * what is remembered, so a run that was killed is simply followed by another one.
 */
export async function applyPlan(
  push: Push,
  { plan: id, run }: { plan: string; run: string },
  round: RoundControl,
): Promise<RoundResult> {
  const remembered = await loadPlan(push, id)
  refuseOver(remembered)
  const { operations } = remembered
  if (operations.some(({ planned, stands }) => sends(planned) && UNSETTLED.has(stands.state)))
    await refuseUnapprovedRun(push.outbound, remembered, push.now())
  await finishReceipts(push, remembered)
  const sending = new Round({ push, remembered, run, signal: round.signal }, round)
  await sending.note(APPLIED, '')
  await sending.canary()
  await sending.others()
  return { done: sending.done, nextDueAt: nextDue(remembered, push.now()), failures: [] }
}

/** Of a plan that was given up, or that another one undoes, nothing is sent. */
export function refuseOver({ plan: { plan, kind }, events, inverse }: RememberedPlan): void {
  refuseDiscarded({ plan, kind }, events)
  if (inverse === null) return
  const { plan: undo, isOnlyPlanned } = inverse
  const remedy = isOnlyPlanned
    ? `To go on with ${plan}: tillage push discard ${undo} --by NAME --reason TEXT`
    : `To send it again, make a new plan. tillage push show ${undo} tells of its inverse.`
  const why = `${plan} goes no further: ${describeInverse(inverse)}`
  throw new PlanError('PLAN_UNDONE', why, { remedy })
}

const isDue = (remembered: RememberedPlan, planned: Operation, nowMs: number): boolean =>
  sends(planned) && isAllowed(remembered, nowMs, planned.id) && !isAhead(planned, nowMs)

function nextDue(remembered: RememberedPlan, nowMs: number): string | null {
  const times = remembered.operations
    .filter(({ planned, stands }) => UNSETTLED.has(stands.state) && sends(planned))
    .filter(({ planned }) => isAllowed(remembered, nowMs, planned.id) && isAhead(planned, nowMs))
    .map(({ planned }) => Date.parse(planned.effectiveAt!))
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString()
}

/** A store that takes nothing so many times in a row is left alone until the next round. */
const MOST_NOT_TAKEN = 3

/** One round: the operations of all stores, and what has become of them so far. */
class Round {
  done = 0
  private readonly plan: PlanRun
  private readonly push: Push
  private readonly remembered: RememberedPlan
  private readonly round: RoundControl
  /** What became of writes, by operation in their order, those of earlier rounds first. */
  private readonly outcomes: Map<string, OperationState>
  private readonly ids = new Map<string, string>()
  private readonly running = new Map<string, Promise<void>>()
  private readonly queues = new Map<string, Operation[]>()
  private readonly runs = new Map<string, StoreRun>()
  private readonly total: number
  private stopped = false
  /** An earlier round has stopped the plan: what is parked is looked for, and nothing is sent. */
  private readonly wasStopped: boolean
  private readonly notTaken = new Map<string, number>()

  constructor(plan: PlanRun, round: RoundControl) {
    const { push, remembered } = plan
    this.plan = plan
    this.push = push
    this.remembered = remembered
    this.round = round
    this.wasStopped = remembered.events.some(({ event }) => event === STOPPED)
    this.outcomes = new Map(
      remembered.operations
        .filter(({ stands }) => isWritten(stands.state))
        .toSorted((a, b) => a.stands.changedAt.localeCompare(b.stands.changedAt))
        .map(({ planned, stands }) => [planned.id, stands.state]),
    )
    for (const { planned, stands } of remembered.operations) {
      this.keepId(planned, stands)
      const isOpen = this.wasStopped ? stands.state === 'unknown' : UNSETTLED.has(stands.state)
      if (!isOpen || !isDue(remembered, planned, push.now())) continue
      this.queues.set(planned.store, [...(this.queues.get(planned.store) ?? []), planned])
    }
    this.total = [...this.queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  }

  /** The first writes of the plan, one by one, store after store. */
  async canary(): Promise<void> {
    for (const store of this.queues.keys()) {
      // No store is waited for that gets none of them.
      if (this.outcomes.size >= CANARY_WRITES) return
      await this.inStore(store, async (run, queue) => {
        while (this.outcomes.size < CANARY_WRITES && this.mayGoOn(run) && queue.length > 0)
          await this.start(run, queue.shift()!)
      })
    }
  }

  /** What is left, several at once, all stores at the same time. */
  async others(): Promise<void> {
    await allDone(
      [...this.queues.keys()].map(store =>
        this.inStore(store, async (run, queue) => {
          const concurrency = Math.min(8, this.push.store(store).settings.limits.concurrency)
          const sendInTurn = async (): Promise<void> => {
            while (this.mayGoOn(run) && queue.length > 0) await this.start(run, queue.shift()!)
          }
          const stopOthers = (error: unknown): never => {
            queue.length = 0
            throw error
          }
          await allDone(Array.from({ length: concurrency }, () => sendInTurn().catch(stopOthers)))
        }),
      ),
    )
  }

  async note(event: string, detail: string, op: string | null = null): Promise<void> {
    const at = new Date(this.push.now()).toISOString()
    const { plan } = this.remembered.plan
    await this.push.outbound.note({ plan, op, at, event, by: null, detail })
  }

  /** A store that fails leaves the others to be done, and says so. */
  private async inStore(
    store: string,
    work: (run: StoreRun, queue: Operation[]) => Promise<void>,
  ): Promise<void> {
    const queue = this.queues.get(store)!
    if (queue.length === 0 || this.stopped || this.runs.get(store)?.failure() !== undefined) return
    let failure: TillageError | undefined
    try {
      const alone = { store, run: this.plan.run }
      failure = await aloneInStore(this.push.outbound, alone, this.round, async () => {
        // Others may have written to it since.
        this.runs.get(store)?.forgetLists()
        const run = this.runs.get(store) ?? (await this.openStore(store))
        await work(run, queue)
        return run.failure()
      })
    } catch (error) {
      if (!isOfPart(error)) throw error
      failure = error
      queue.length = 0
    }
    if (failure !== undefined)
      await this.note(STORE_FAILED, `${store} ${failure.code} ${failure.message}`)
  }

  private async openStore(store: string): Promise<StoreRun> {
    const { signal } = this.round
    const run = await openStoreRun(this.push, this.remembered, { store, ids: this.ids, signal })
    this.runs.set(store, run)
    return run
  }

  private keepId(planned: Operation, stands: OutboundOperation): void {
    const id = idOfApplied(planned, stands)
    if (id !== undefined) this.ids.set(planned.id, id)
  }

  private mayGoOn(run: StoreRun): boolean {
    return !this.stopped && !this.round.signal.aborted && run.failure() === undefined
  }

  private start(run: StoreRun, planned: Operation): Promise<void> {
    const running = this.carry(run, planned)
    this.running.set(planned.id, running)
    return running
  }

  private async carry(run: StoreRun, planned: Operation): Promise<void> {
    for (const needed of planned.dependsOn) {
      await this.running.get(needed)
      if (this.ids.has(needed)) continue
      return this.note('waits', `waits for ${needed}, which is not applied`, planned.id)
    }
    const { plan } = this.remembered.plan
    const operation = (await this.push.outbound.operation(plan, planned.id))!
    const state = await carryOut(sendingOf(this.plan, run, planned, operation), operation)
    await this.noteOutcome(run, planned, state)
  }

  private async noteOutcome(
    run: StoreRun,
    planned: Operation,
    state: OperationState,
  ): Promise<void> {
    this.done++
    this.round.progress(this.done, this.total)
    const stands = (await this.push.outbound.operation(this.remembered.plan.plan, planned.id))!
    this.keepId(planned, stands)
    if (needsReceipt(stands)) await keepReceipt(this.push, this.remembered, planned, stands)
    if (isWritten(state)) this.outcomes.set(planned.id, state)
    const why = this.wasStopped ? undefined : whyStop([...this.outcomes.values()])
    if (why !== undefined && !this.stopped) {
      this.stopped = true
      await this.note(STOPPED, why)
    }
    this.countNotTaken(run, state)
  }

  private countNotTaken(run: StoreRun, state: OperationState): void {
    const count = state === 'failed' ? (this.notTaken.get(run.id) ?? 0) + 1 : 0
    this.notTaken.set(run.id, count)
    if (count >= MOST_NOT_TAKEN)
      run.fail(
        new TillageError(
          'PARTNER_UNAVAILABLE',
          `the store has not taken ${count} operations in a row; the rest waits for the next apply`,
        ),
      )
  }
}

/** Waits for all of them, also where one fails: nothing is under way any more when it throws. */
async function allDone(running: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(running)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
