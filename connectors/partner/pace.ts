/** An API that refuses whatever comes is asked so often at the least. */
const SLOWEST_PER_SECOND = 0.2
/** Faster is as good as without any limit, and this is a number that JSON has. */
const FASTEST_PER_SECOND = 1e6
/** Most limits are met by the thirtieth answer; the pace then grows by a fiftieth with each. */
const START = { perSecond: 100, answers: 30, growth: 1.02 }
/** After a refusal the pace is doubled by so many answers, and nine times as fast after twice. */
const ANSWERS_TO_DOUBLE = 180
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
/** Before every other time; JSON has no infinity. */
const NEVER = -8.64e15

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
  cuts: 0,
  wasAlone: false,
  isChance: false,
  sentMs: [],
  refusedShare: 0,
})

/**
 * When requests may be sent to an API that does not state its limit. Slots are GCRA's; their pace
 * is an AIMD that grows like CUBIC, slowly at first and ever faster, up to the next refusal. One
 * that is alone sets it back to where the growth began. Another one soon after lowers it to what
 * was let through between the two: that is the limit, whatever its kind. Five of those that no
 * slower pace has ended were chance, and the pace is again what it was before them. `Retry-After`
 * is obeyed. Callers tell the time. With `kept` it goes on from what another one knew.
 */
export function createPace(ceilingPerSecond: number, knownPerSecond?: number, kept?: PaceState) {
  const within = (wanted: number): number =>
    Math.min(ceilingPerSecond, FASTEST_PER_SECOND, Math.max(SLOWEST_PER_SECOND, wanted))
  const begun = {
    perSecond: within(knownPerSecond ?? START.perSecond),
    isFound: knownPerSecond !== undefined,
  }
  const known = { ...(kept ?? beginning(begun)) }
  known.perSecond = within(known.perSecond)

  /** Of those that were answered: a machine that is slower than its pace has not tried that. */
  const sentPerSecond = (): number => {
    const { sentMs } = known
    const [firstMs, lastMs] = [Math.min(...sentMs), Math.max(...sentMs)]
    return (1000 * (sentMs.length - 1)) / Math.max(1, lastMs - firstMs)
  }
  const wasRefused = (): boolean => known.refusedMs > NEVER
  const grow = (): void => {
    const growth = known.base.isFound
      ? 1 + (known.answers / ANSWERS_TO_DOUBLE) ** 3
      : START.growth ** Math.max(0, known.answers - START.answers)
    known.perSecond = within(known.base.perSecond * growth)
    if (!known.base.isFound || known.isChance) return
    const { perSecond } = known.base
    if (growth >= 3)
      known.foundPerSecond = within(
        Math.max(known.foundPerSecond ?? perSecond, Math.min(3 * perSecond, sentPerSecond())),
      )
    else if (wasRefused() && known.answers >= ANSWERS_BEFORE_ALONE)
      known.foundPerSecond = known.base.perSecond
  }
  const startRound = (nowMs: number): void => {
    ;[known.perSecond, known.refusedMs, known.answers, known.sentMs] = [
      known.base.perSecond,
      nowMs,
      0,
      [],
    ]
    ;[known.closedMs, known.busyMs, known.busyUntilMs] = [0, 0, nowMs]
  }
  const found = (limit: number): FoundPace => ({ perSecond: within(limit), isFound: true })
  const busyAt = (nowMs: number): number =>
    known.busyMs +
    Math.min(Math.max(SECOND_MS, 2000 / known.perSecond), Math.max(0, nowMs - known.busyUntilMs))

  /** What was let through between two refusals, or at the least flowed into a bucket. */
  const learn = (nowMs: number): number => {
    const between = wasRefused() ? known.answers / Math.max(1, busyAt(nowMs)) : 0
    const least = known.sentMs.map(
      (ms, at) => (known.sentMs.length - at) / (nowMs - ms + SECOND_MS),
    )
    return 1000 * STEADY_SHARE * Math.max(between, ...(known.closedMs > SECOND_MS ? [] : least))
  }
  const count = (isAlone: boolean, isLong: boolean): void => {
    if (isAlone && known.wasAlone) known.cuts = 0
    if (known.cuts === 0) known.before = known.base
    if (!isAlone) known.cuts++
    known.wasAlone = isAlone
    known.isChance = !isAlone && !isLong && known.cuts >= CUTS_IN_VAIN
  }
  const judge = (nowMs: number): boolean => {
    const limit = learn(nowMs)
    const isLong = known.closedMs > SECOND_MS
    const isAlone = !isLong && (known.answers >= ANSWERS_BEFORE_ALONE || !wasRefused())
    count(isAlone, isLong)
    const least = known.base.isFound ? known.base.perSecond : known.perSecond / 2
    if (known.isChance) [known.base, known.foundPerSecond] = [known.before, undefined]
    else if (isAlone) known.base = found(Math.max(limit, least))
    else
      known.base = found(
        Math.min(known.base.perSecond, Math.max(limit, known.perSecond / MOST_AT_ONCE)),
      )
    startRound(nowMs)
    return !isAlone && !known.isChance
  }
  /** A refusal while they are believed to be chance. */
  const judgeChance = (nowMs: number): boolean => {
    const { share, inARow } = MOST_BY_CHANCE
    if (++known.refusalsInARow < inARow && known.refusedShare <= share) return false
    ;[known.cuts, known.isChance] = [0, false]
    known.base = found(known.perSecond * (1 - known.refusedShare))
    startRound(nowMs)
    return true
  }
  const pause = (nowMs: number, retryAfterMs: number | undefined): void => {
    const ownMs = Math.min(FIRST_PAUSE_MS * 2 ** known.refusalsInARow++, LONGEST_PAUSE_MS)
    known.pausedUntilMs = Math.max(known.pausedUntilMs, nowMs + (retryAfterMs ?? ownMs))
    known.closedMs = known.busyMs = known.pausedUntilMs - known.refusedMs
    known.busyUntilMs = known.pausedUntilMs
  }

  return {
    /** For `kept` of another one, which goes on from there. */
    state: known,
    /** `foundPerSecond` may be kept. Where it `isClosed`, requests go one at a time. */
    get allowance() {
      const isClosed = known.refusalsInARow > 0 && !known.isChance
      const { perSecond, foundPerSecond, pausedUntilMs } = known
      return { perSecond, foundPerSecond, pausedUntilMs, isClosed }
    },
    /** Takes the next slot, if it has come; else answers how long to wait for it. */
    take(nowMs: number): number {
      const readyMs = Math.max(known.nextSlotMs, known.pausedUntilMs)
      if (readyMs > nowMs) return readyMs - nowMs
      const slotMs = 1000 / known.perSecond
      known.nextSlotMs =
        Math.max(nowMs - Math.min(LATE_AT_MOST_MS, 2 * slotMs), known.nextSlotMs) + slotMs
      return 0
    },
    answered(atMs: number): void {
      known.refusedShare -= known.refusedShare / LATEST
      if (++known.answersInARow === ANSWERS_WITHOUT_CHANCE)
        [known.cuts, known.isChance] = [0, false]
      if (atMs <= known.refusedMs) return
      known.busyMs = busyAt(atMs)
      known.busyUntilMs = Math.max(known.busyUntilMs, atMs)
      known.sentMs = [...known.sentMs.slice(1 - ANSWERS_WITHOUT_CHANCE), atMs]
      known.refusalsInARow = 0
      known.answers++
      grow()
    },
    /** Answers whether it is more than one that is alone, or chance. */
    refused(atMs: number, nowMs: number, retryAfterMs?: number): boolean {
      known.answersInARow = 0
      known.refusedShare += (1 - known.refusedShare) / LATEST
      const isKnown = atMs <= known.refusedMs
      if (isKnown || (known.isChance && (retryAfterMs ?? 0) <= LONGEST_PAUSE_MS)) {
        known.pausedUntilMs = Math.max(known.pausedUntilMs, nowMs + (retryAfterMs ?? 0))
        return !isKnown && judgeChance(nowMs)
      }
      const isMore = known.answers > 0 || !wasRefused() ? judge(nowMs) : true
      if (!known.isChance) pause(nowMs, retryAfterMs)
      return isMore
    },
  }
}
