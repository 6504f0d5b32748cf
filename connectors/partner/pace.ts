import { DAY_MS } from '../../calendar/days.ts'

/** An API that refuses whatever comes is asked so often at the least. */
const SLOWEST_PER_SECOND = 0.2
/** Faster is as good as without any limit, and this is a number that JSON has. */
const FASTEST_PER_SECOND = 1e6
/** Most limits are met by the thirtieth answer; the pace then grows by a fiftieth with each. */
const START = { perSecond: 100, answers: 30, growth: 1.02 }
/** After a refusal the pace is doubled by so many answers, and nine times as fast after twice. */
const ANSWERS_TO_DOUBLE = 180
/** So do as many of the long pauses that the API asks for, if nothing is refused meanwhile; */
const PAUSES_TO_DOUBLE = 3
/** and thrice as many after each refusal of a pace that was raised by so much: it was a limit. */
const LONGER_EACH_TIME = 3
const RAISED = 1.02
/** A little less than the limit: at the limit itself chance refuses. */
const STEADY_SHARE = 0.98
/** Behind so many answers a refusal is alone; any other lowers the pace, to a third at the most. */
const ANSWERS_BEFORE_ALONE = 80
const MOST_AT_ONCE = 3
/** So many that no slower pace has ended are chance, until none comes for so many answers, */
const CUTS_IN_VAIN = 5
const ANSWERS_WITHOUT_CHANCE = 300
/** or so large a share of the latest is refused, or so many are in a row. */
const LATEST = 50
const MOST_BY_CHANCE = { share: 0.25, inARow: 5 }
/** Each further pause in a row is twice as long; longer ones belong to Temporal's timers. */
const FIRST_PAUSE_MS = 150
export const LONGEST_PAUSE_MS = 5_000
/** What a bucket holds. A limit that is closed for longer counts over a longer time. */
const SECOND_MS = 1_000
/** A request that is late by less, or by two slots, does not delay those after it. */
const LATE_AT_MOST_MS = 100
/** While it is not known whether the API answers again, one request finds out, for so long. */
export const LONGEST_TRIAL_MS = 1_000
/** Of a pace that an earlier run found: its limit may have fallen, others may use its key now. */
const SHARE_OF_TODAY = 0.95
const SHARE_OF_OLDER = 0.8
/** Before every other time; JSON has no infinity. */
const NEVER = -8.64e15

/** How processes that send with one key share its pace (`connectors/store/shared-pace.ts`). */
export const SHARING = {
  /** Slots are taken for those who wait, and for so long at least; by all together for so long. */
  shortestLeaseMs: 25,
  longestLeaseMs: 250,
  /** More than anybody can send in that time; where there is no limit, it would be thousands. */
  mostSlots: 250,
  /** What others have found is known after so long, whatever there is to wait for. */
  newsAfterMs: 500,
  /** Slots that were missed by more are lost but for one: they are not made up for with a burst. */
  lateAtMostMs: 50,
  /** What is kept may be out of reach for so long; then whoever waits is told. */
  longestOutageMs: 5_000,
  /** Where others took all that there was, so long passes before the next question. */
  askedAgainMs: 50,
  /** Who has taken none for so long is not counted. */
  countedForMs: 5_000,
  /** After such a silence a pace that had grown begins where it was found. */
  forgottenAfterMs: 60_000,
  /** No slot is taken further ahead: a shared clock that was set back stops nobody for longer. */
  furthestAheadMs: 30_000,
} as const

/** A pace, and whether an API has shown it. */
interface FoundPace {
  perSecond: number
  isFound: boolean
}

/** All that a pace knows, as plain numbers: processes that share a key hand it to each other. */
export interface PaceState {
  /** Where the growth begins. */
  base: FoundPace
  /** The base before the cuts that are being counted. */
  before: FoundPace
  perSecond: number
  foundPerSecond?: number | undefined
  nextSlotMs: number
  pausedUntilMs: number
  refusedMs: number
  answers: number
  refusalsInARow: number
  answersInARow: number
  /** How long nothing was let through, and that with the time in which something was asked for. */
  closedMs: number
  busyMs: number
  busyUntilMs: number
  /** So long without a refusal doubles the pace; 0: answers alone do. */
  patienceMs: number
  cuts: number
  wasAlone: boolean
  isChance: boolean
  sentMs: number[]
  refusedShare: number
}

const beginning = (base: FoundPace): PaceState => ({
  base,
  before: base,
  perSecond: base.perSecond,
  nextSlotMs: NEVER,
  pausedUntilMs: NEVER,
  refusedMs: NEVER,
  answers: 0,
  refusalsInARow: 0,
  answersInARow: 0,
  closedMs: 0,
  busyMs: 0,
  busyUntilMs: NEVER,
  patienceMs: 0,
  cuts: 0,
  wasAlone: false,
  isChance: false,
  sentMs: [],
  refusedShare: 0,
})

/** What a pace allows now. */
export interface PaceAllowance {
  perSecond: number
  /** May be kept for the next run. */
  foundPerSecond: number | undefined
  pausedUntilMs: number
  /** Requests go one at a time. */
  isClosed: boolean
}

/**
 * When requests may be sent to an API that does not state its limit. Slots are GCRA's; their pace
 * is an AIMD that grows like CUBIC, slowly at first and ever faster, up to the next refusal. One
 * that is alone sets it back to where the growth began. Another one soon after lowers it to what
 * was let through between the two: that is the limit, whatever its kind. Five of those that no
 * slower pace has ended were chance, and the pace is again what it was before them. `Retry-After`
 * is obeyed. Callers tell the time.
 */
export class Pace {
  /** For another pace, which goes on from there. */
  readonly state: PaceState
  readonly #mostPerSecond: number

  /** With `kept` it goes on from what another one knew. */
  constructor(ceilingPerSecond: number, knownPerSecond?: number, kept?: PaceState) {
    this.#mostPerSecond = Math.min(ceilingPerSecond, FASTEST_PER_SECOND)
    const begun = {
      perSecond: this.#within(knownPerSecond ?? START.perSecond),
      isFound: knownPerSecond !== undefined,
    }
    this.state = { ...beginning(begun), ...kept }
    this.state.perSecond = this.#within(this.state.perSecond)
  }

  get allowance(): PaceAllowance {
    const { perSecond, foundPerSecond, pausedUntilMs, refusalsInARow, isChance } = this.state
    return { perSecond, foundPerSecond, pausedUntilMs, isClosed: refusalsInARow > 0 && !isChance }
  }

  /** Takes the next slot, if it has come; else answers how long to wait for it. */
  take(nowMs: number): number {
    const { state } = this
    const readyMs = Math.max(state.nextSlotMs, state.pausedUntilMs)
    if (readyMs > nowMs) return readyMs - nowMs
    const slotMs = 1000 / state.perSecond
    const earliestMs = nowMs - Math.min(LATE_AT_MOST_MS, 2 * slotMs)
    state.nextSlotMs = Math.max(earliestMs, state.nextSlotMs) + slotMs
    return 0
  }

  /** A request that was sent at a time was answered. */
  answered(atMs: number): void {
    const { state } = this
    state.refusedShare -= state.refusedShare / LATEST
    if (++state.answersInARow === ANSWERS_WITHOUT_CHANCE) this.#forgetChance()
    if (atMs <= state.refusedMs) return
    state.busyMs = this.#busyAt(atMs)
    state.busyUntilMs = Math.max(state.busyUntilMs, atMs)
    state.sentMs = [...state.sentMs.slice(1 - ANSWERS_WITHOUT_CHANCE), atMs]
    state.refusalsInARow = 0
    state.answers++
    this.#grow()
  }

  /**
   * A request that was sent at a time was refused. Answers whether it is more than one that is
   * alone, or chance.
   */
  refused(atMs: number, nowMs: number, retryAfterMs?: number): boolean {
    const { state } = this
    state.answersInARow = 0
    state.refusedShare += (1 - state.refusedShare) / LATEST
    const isKnown = atMs <= state.refusedMs
    if (isKnown || (state.isChance && (retryAfterMs ?? 0) <= LONGEST_PAUSE_MS)) {
      state.pausedUntilMs = Math.max(state.pausedUntilMs, nowMs + (retryAfterMs ?? 0))
      return !isKnown && this.#judgeChance(nowMs)
    }
    this.#waitLonger(retryAfterMs)
    const isMore = state.answers > 0 || !this.#wasRefused ? this.#judge(nowMs) : true
    if (!state.isChance) this.#pause(nowMs, retryAfterMs)
    return isMore
  }

  #within(wanted: number): number {
    return Math.min(this.#mostPerSecond, Math.max(SLOWEST_PER_SECOND, wanted))
  }

  get #wasRefused(): boolean {
    return this.state.refusedMs > NEVER
  }

  #grow(): void {
    const { state } = this
    const { perSecond, isFound } = state.base
    const growth = isFound
      ? 1 + Math.max(state.answers / ANSWERS_TO_DOUBLE, this.#shareOfPatience) ** 3
      : START.growth ** Math.max(0, state.answers - START.answers)
    state.perSecond = this.#within(perSecond * growth)
    if (!isFound || state.isChance) return
    if (growth >= 3) {
      const tried = Math.min(3 * perSecond, this.#sentPerSecond())
      state.foundPerSecond = this.#within(Math.max(state.foundPerSecond ?? perSecond, tried))
    } else if (this.#wasRefused && state.answers >= ANSWERS_BEFORE_ALONE)
      state.foundPerSecond = perSecond
  }

  /** How much of the time that doubles the pace has passed. */
  get #shareOfPatience(): number {
    const { busyMs, closedMs, patienceMs } = this.state
    return patienceMs > 0 ? (busyMs - closedMs) / patienceMs : 0
  }

  /** Whether time may have made it faster than what was let through. */
  get #wasRaised(): boolean {
    const { base, patienceMs, perSecond } = this.state
    return patienceMs > 0 && perSecond > RAISED * base.perSecond
  }

  /** Of those that were answered: a machine that is slower than its pace has not tried that. */
  #sentPerSecond(): number {
    const { sentMs } = this.state
    const forMs = Math.max(...sentMs) - Math.min(...sentMs)
    return (1000 * (sentMs.length - 1)) / Math.max(1, forMs)
  }

  #busyAt(nowMs: number): number {
    const { busyMs, busyUntilMs, perSecond } = this.state
    const mostMs = Math.max(SECOND_MS, 2000 / perSecond)
    return busyMs + Math.min(mostMs, Math.max(0, nowMs - busyUntilMs))
  }

  /** Early refusals with long pauses leave a pace that answers alone would raise for minutes. */
  #waitLonger(retryAfterMs = 0): void {
    const { state } = this
    const askedMs = retryAfterMs > SECOND_MS ? PAUSES_TO_DOUBLE * retryAfterMs : 0
    const longerMs = (this.#wasRaised ? LONGER_EACH_TIME : 1) * state.patienceMs
    state.patienceMs = Math.max(askedMs, longerMs)
  }

  /** Answers whether a refusal is more than one that is alone, or chance. */
  #judge(nowMs: number): boolean {
    const { state } = this
    const limit = this.#limitAt(nowMs)
    const isLong = state.closedMs > SECOND_MS
    const isAlone = !isLong && (state.answers >= ANSWERS_BEFORE_ALONE || !this.#wasRefused)
    this.#count(isAlone)
    if (state.isChance) {
      state.foundPerSecond = undefined
      this.#beginRound(state.before, nowMs)
      return false
    }
    const { base, perSecond } = state
    const least = base.isFound ? base.perSecond : perSecond / 2
    const lowered = Math.min(base.perSecond, Math.max(limit, perSecond / MOST_AT_ONCE))
    this.#beginRound(this.#found(isAlone ? Math.max(limit, least) : lowered), nowMs)
    return !isAlone
  }

  /** What was let through between two refusals, or at the least flowed into a bucket. */
  #limitAt(nowMs: number): number {
    const { answers, closedMs, sentMs } = this.state
    const between = this.#wasRefused ? answers / Math.max(1, this.#busyAt(nowMs)) : 0
    const least = sentMs.map((ms, at) => (sentMs.length - at) / (nowMs - ms + SECOND_MS))
    return 1000 * STEADY_SHARE * Math.max(between, ...(closedMs > SECOND_MS ? [] : least))
  }

  #count(isAlone: boolean): void {
    const { state } = this
    if (isAlone && state.wasAlone) state.cuts = 0
    if (state.cuts === 0) state.before = state.base
    if (!isAlone && !this.#wasRaised) state.cuts++
    state.wasAlone = isAlone
    state.isChance = !isAlone && state.closedMs <= LONGEST_PAUSE_MS && state.cuts >= CUTS_IN_VAIN
  }

  /** A refusal while they are believed to be chance. */
  #judgeChance(nowMs: number): boolean {
    const { state } = this
    const { share, inARow } = MOST_BY_CHANCE
    if (++state.refusalsInARow < inARow && state.refusedShare <= share) return false
    this.#forgetChance()
    this.#beginRound(this.#found(state.perSecond * (1 - state.refusedShare)), nowMs)
    return true
  }

  #forgetChance(): void {
    this.state.cuts = 0
    this.state.isChance = false
  }

  #found(perSecond: number): FoundPace {
    return { perSecond: this.#within(perSecond), isFound: true }
  }

  /** What is counted between two refusals. */
  #beginRound(base: FoundPace, nowMs: number): void {
    const { perSecond } = base
    const counted = { refusedMs: nowMs, answers: 0, sentMs: [], closedMs: 0, busyMs: 0 }
    Object.assign(this.state, { base, perSecond, ...counted, busyUntilMs: nowMs })
  }

  #pause(nowMs: number, retryAfterMs: number | undefined): void {
    const { state } = this
    const ownMs = Math.min(FIRST_PAUSE_MS * 2 ** state.refusalsInARow++, LONGEST_PAUSE_MS)
    state.pausedUntilMs = Math.max(state.pausedUntilMs, nowMs + (retryAfterMs ?? ownMs))
    state.closedMs = state.pausedUntilMs - state.refusedMs
    state.busyMs = state.closedMs
    state.busyUntilMs = state.pausedUntilMs
  }
}

/**
 * How many requests go at once: as many as went well, and half as many after a refusal that is
 * not alone.
 */
export class AtOnce {
  #now: number
  #answers = 0
  #wasHalved = false

  constructor(ceiling: number) {
    this.#now = Math.max(1, Math.ceil(ceiling / 2))
  }

  get now(): number {
    return this.#now
  }

  /** Others may have begun to send with the key. */
  keepTo(most: number): void {
    this.#now = Math.min(this.#now, most)
  }

  answered(most: number): void {
    // Before anything was refused the pace alone is careful: where answers take long, slots that
    // stay empty are all that is lost.
    if (++this.#answers < 2 * this.#now && this.#wasHalved) return
    this.#answers = 0
    this.#now = Math.min(most, this.#now + 1)
  }

  refused(): void {
    this.#wasHalved = true
    this.#answers = 0
    this.#now = Math.max(1, Math.floor(this.#now / 2))
  }
}

/** The name of the fact among `behaviours`; its value is a number of requests a second. */
const PACE = 'requests a second'

/** The fact as it is kept. */
export const paceFact = (perSecond: number) => ({
  stream: '',
  name: PACE,
  value: perSecond.toFixed(2),
  evidence:
    'at this pace requests were answered; a faster one was refused with 429 or 503, ' +
    'in this run or an earlier one',
})

/** What an earlier run has kept. */
export const keptPace = <Fact extends { stream: string; name: string; value: string }>(
  facts: readonly Fact[],
): Fact | undefined =>
  facts.find(({ stream, name, value }) => stream === '' && name === PACE && Number(value) > 0)

/**
 * What a run begins with: a little less than what was kept, and less after a day. It rises from
 * there as it does after a refusal.
 */
export function knownPace(
  facts: readonly { stream: string; name: string; value: string; seenAt: string }[],
  nowMs: number,
): number | undefined {
  const kept = keptPace(facts)
  if (kept === undefined) return undefined
  const isOfToday = nowMs - Date.parse(kept.seenAt) < DAY_MS
  return Number(kept.value) * (isOfToday ? SHARE_OF_TODAY : SHARE_OF_OLDER)
}
