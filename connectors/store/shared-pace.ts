import { randomUUID } from 'node:crypto'
import { DatabaseError } from '../../errors.ts'
import type { KeyShare } from '../destination/key-shares.ts'
import { clock } from '../partner/governor.ts'
import type { KeyPace, PaceLimits, SentRequest } from '../partner/governor.ts'
import { LONGEST_TRIAL_MS, Pace, SHARING } from '../partner/pace.ts'
import type { PaceState } from '../partner/pace.ts'

/** What is kept of a key. Times are those of the clock that all share. */
export interface SharedPace {
  pace: PaceState
  /** When each process was here last. */
  seen: Record<string, number>
  /** So long the others wait for the request that shows whether the API answers again. */
  trialUntilMs?: number
}

/** What came of a request, by the clock of the process. */
export interface Outcome extends SentRequest {
  refused?: { atMs: number; retryAfterMs: number | undefined }
}

export interface SlotOrder {
  limits: PaceLimits
  process: string
  outcomes: readonly Outcome[]
  /** So many requests wait for a slot; none: only the outcomes are told. */
  waiting: number
  /** The clock of the process at `nowMs` of the shared one. */
  ownMs: number
}

export interface TakenSlots {
  kept: SharedPace
  /** Starts, by the shared clock. */
  slotsMs: number[]
}

/** What all know of a key, after what one of them has learned, and with the slots that it takes. */
export function takeSlots(
  kept: SharedPace | undefined,
  nowMs: number,
  order: SlotOrder,
): TakenSlots {
  const pace = paceOf(kept, nowMs, order.limits)
  const isNews = tellOutcomes(pace, order.outcomes, ms => ms - order.ownMs + nowMs)
  const seen = { ...othersOf(kept, nowMs), [order.process]: nowMs }
  const { isClosed } = pace.allowance
  const untilMs = isNews ? nowMs : (kept?.trialUntilMs ?? nowMs)
  const isTried = isClosed && untilMs > nowMs && untilMs < nowMs + SHARING.furthestAheadMs
  const mostMs = SHARING.longestLeaseMs / Object.keys(seen).length
  const { waiting } = order
  const slotsMs = waiting === 0 || isTried ? [] : slotsOf(pace, nowMs, { waiting, mostMs })
  const [first] = slotsMs
  const trialUntilMs = isClosed && first !== undefined ? first + LONGEST_TRIAL_MS : untilMs
  return { kept: { pace: pace.state, seen, trialUntilMs }, slotsMs }
}

/** Answers whether one of them tells how the API stands now. */
function tellOutcomes(
  pace: Pace,
  outcomes: readonly Outcome[],
  shared: (ms: number) => number,
): boolean {
  let isNews = false
  for (const outcome of outcomes) {
    const { refused } = outcome
    const atMs = shared(knownAt(pace, outcome, shared))
    isNews ||= atMs > pace.state.refusedMs
    if (refused === undefined) pace.answered(atMs)
    else pace.refused(atMs, shared(refused.atMs), refused.retryAfterMs)
  }
  return isNews
}

/** Who had a slot when another one was refused did not know of that, whenever it was sent. */
const knownAt = (
  pace: Pace,
  { sentMs, decidedMs }: SentRequest,
  shared: (ms: number) => number,
): number => (shared(decidedMs) < pace.state.refusedMs ? decidedMs : sentMs)

const othersOf = (kept: SharedPace | undefined, nowMs: number): SharedPace['seen'] =>
  Object.fromEntries(
    Object.entries(kept?.seen ?? {}).filter(
      ([, seenMs]) => seenMs <= nowMs && seenMs > nowMs - SHARING.countedForMs,
    ),
  )

function paceOf(
  kept: SharedPace | undefined,
  nowMs: number,
  { requestsPerSecond, knownPerSecond }: PaceLimits,
): Pace {
  if (kept === undefined) return new Pace(requestsPerSecond, knownPerSecond)
  const { base, nextSlotMs, pausedUntilMs } = kept.pace
  const lastSeenMs = Math.max(...Object.values(kept.seen))
  const isOver = lastSeenMs < nowMs - SHARING.forgottenAfterMs && pausedUntilMs < nowMs
  if (!isOver && nextSlotMs <= nowMs + SHARING.furthestAheadMs)
    return new Pace(requestsPerSecond, knownPerSecond, kept.pace)
  return new Pace(requestsPerSecond, base.isFound ? base.perSecond : knownPerSecond)
}

function slotsOf(
  pace: Pace,
  nowMs: number,
  { waiting, mostMs }: { waiting: number; mostMs: number },
): number[] {
  const { isClosed, perSecond } = pace.allowance
  const forMs = (ms: number): number => Math.ceil((perSecond * ms) / 1000)
  const useful = Math.min(Math.max(waiting, forMs(SHARING.shortestLeaseMs)), SHARING.mostSlots)
  const wanted = Math.min(useful, forMs(mostMs))
  const slotsMs: number[] = []
  let atMs = nowMs
  // Until the API has answered again, one is enough.
  while (slotsMs.length < (isClosed ? 1 : wanted)) {
    const waitMs = pace.take(atMs)
    if (waitMs === 0) slotsMs.push(atMs)
    atMs += waitMs
    if (atMs > nowMs + SHARING.newsAfterMs) break
  }
  return slotsMs
}

/**
 * The pace of a key that other processes send with, too: one for all of them, `Pace`, which
 * is kept where all reach it. Each takes some slots at a time and spends them by itself, so that
 * most requests ask nobody; one that dies loses at most what it has taken. What one was refused,
 * all know with their next slots. Where what is kept cannot be reached, nothing is sent, and after
 * some seconds that is an error of whoever waits.
 */
export function createSharedPace(share: KeyShare, limits: PaceLimits): KeyPace {
  const process = randomUUID()
  let own = new Pace(limits.requestsPerSecond, limits.knownPerSecond)
  /** The shared clock less our own. */
  let aheadMs = 0
  let [sharers, waiting] = [1, 0]
  let outcomes: Outcome[] = []
  let slots: number[] = []
  let decidedMs = clock()
  let failingSinceMs: number | undefined
  let failedMs = -Infinity
  let asking: Promise<void> | undefined
  const shared = (ms: number): number => ms + aheadMs

  const exchange = async (): Promise<void> => {
    const told = outcomes.length
    const taken = await share.change((kept, nowMs) => {
      const ownMs = clock()
      const order = { limits, process, outcomes: outcomes.slice(0, told), waiting, ownMs }
      const taken = takeSlots(kept as SharedPace | undefined, nowMs, order)
      return { kept: taken.kept, answer: { ...taken, ownMs, aheadMs: nowMs - ownMs } }
    })
    outcomes = outcomes.slice(told)
    own = new Pace(limits.requestsPerSecond, limits.knownPerSecond, taken.kept.pace)
    sharers = Object.keys(taken.kept.seen).length
    aheadMs = taken.aheadMs
    decidedMs = taken.ownMs
    failingSinceMs = undefined
    // What came meanwhile is not in it yet.
    tellOutcomes(own, outcomes, shared)
    // Those that are left stay: a question that only tells something takes none.
    slots = [...slots, ...taken.slotsMs.map(ms => ms - aheadMs)]
    dropPaused()
  }
  /** What the API wants no request in; a clock that is rounded is a millisecond off. */
  const dropPaused = (): void => {
    const { pausedUntilMs } = own.allowance
    slots = slots.filter(ms => shared(ms) > pausedUntilMs - 1)
  }
  /** One question at a time, for all that wait. */
  const ask = (): Promise<void> => {
    asking ??= exchange().finally(() => (asking = undefined))
    return asking
  }

  /** The others hear of it now, not when this process has something to send again. */
  const tell = (): void => {
    void Promise.resolve(asking)
      .then(ask)
      .catch(() => {})
  }
  /** Others took what there was, or the API wants a pause. */
  const untilNextMs = (): number => {
    const { perSecond, pausedUntilMs } = own.allowance
    const pausedMs = pausedUntilMs - aheadMs - clock()
    return Math.min(SHARING.newsAfterMs, Math.max(SHARING.askedAgainMs, 1000 / perSecond, pausedMs))
  }

  /** A machine that is too busy to be in time would never have one: the last one lasts longer. */
  const slotsLeft = (nowMs: number): number[] => {
    const inTime = slots.filter(ms => ms > nowMs - SHARING.lateAtMostMs)
    return inTime.length > 0
      ? inTime
      : slots.slice(-1).filter(ms => ms > nowMs - SHARING.newsAfterMs)
  }
  const refuseLongOutage = (error: unknown): void => {
    const nowMs = clock()
    // After a silence it is another outage.
    if (nowMs - failedMs > SHARING.longestOutageMs) failingSinceMs = undefined
    failedMs = nowMs
    failingSinceMs ??= nowMs
    const isLong = nowMs - failingSinceMs > SHARING.longestOutageMs
    if (!(error instanceof DatabaseError) || isLong) throw error
  }

  return {
    async take(nowMs) {
      slots = slotsLeft(nowMs)
      if (slots.length === 0) {
        waiting++
        try {
          await ask()
        } catch (error) {
          refuseLongOutage(error)
          return { waitMs: SHARING.newsAfterMs, decidedMs }
        } finally {
          waiting--
        }
      }
      const [next] = slots
      const waitMs = next === undefined ? untilNextMs() : Math.max(0, Math.ceil(next - clock()))
      if (waitMs === 0) slots.shift()
      return { waitMs, decidedMs }
    },
    answered(sent) {
      const wasClosed = own.allowance.isClosed
      outcomes.push(sent)
      own.answered(shared(knownAt(own, sent, shared)))
      if (wasClosed) tell()
    },
    refused(sent, nowMs, retryAfterMs) {
      outcomes.push({ ...sent, refused: { atMs: nowMs, retryAfterMs } })
      const isMore = own.refused(shared(knownAt(own, sent, shared)), shared(nowMs), retryAfterMs)
      dropPaused()
      tell()
      return isMore
    },
    get allowance() {
      const { pausedUntilMs, ...allowance } = own.allowance
      return { ...allowance, pausedUntilMs: pausedUntilMs - aheadMs }
    },
    shareOf: concurrency => Math.max(1, Math.floor(concurrency / sharers)),
  }
}
