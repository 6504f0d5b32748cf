/** An API that refuses whatever comes is asked so often at the least. */
const SLOWEST_PER_SECOND = 0.2
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

/**
 * When requests may be sent to an API that does not state its limit. Slots are GCRA's; their pace
 * is an AIMD that grows like CUBIC, slowly at first and ever faster, up to the next refusal. One
 * that is alone sets it back to where the growth began. Another one soon after lowers it to what
 * was let through between the two: that is the limit, whatever its kind. Five of those that no
 * slower pace has ended were chance, and the pace is again what it was before them. `Retry-After`
 * is obeyed. Callers tell the time.
 */
export function createPace(ceilingPerSecond: number, knownPerSecond?: number) {
  const within = (wanted: number): number =>
    Math.min(ceilingPerSecond, Math.max(SLOWEST_PER_SECOND, wanted))
  /** Where the growth begins. */
  let base = {
    perSecond: within(knownPerSecond ?? START.perSecond),
    isFound: knownPerSecond !== undefined,
  }
  let { perSecond } = base
  let foundPerSecond: number | undefined
  let [nextSlotMs, pausedUntilMs, refusedMs] = [-Infinity, -Infinity, -Infinity]
  let [answers, refusalsInARow, answersInARow] = [0, 0, 0]
  /** How long nothing was let through, and that with the time in which something was asked for. */
  let [closedMs, busyMs, busyUntilMs] = [0, 0, -Infinity]
  let [cuts, wasAlone, isChance, before] = [0, false, false, base]
  let [sentMs, refusedShare]: [number[], number] = [[], 0]

  const wasRefused = (): boolean => refusedMs > -Infinity
  const grow = (): void => {
    const growth = base.isFound
      ? 1 + (answers / ANSWERS_TO_DOUBLE) ** 3
      : START.growth ** Math.max(0, answers - START.answers)
    perSecond = within(base.perSecond * growth)
    if (!base.isFound || isChance) return
    if (growth >= 3) foundPerSecond = within(3 * base.perSecond)
    else if (wasRefused() && answers >= ANSWERS_BEFORE_ALONE) foundPerSecond = base.perSecond
  }
  const startRound = (nowMs: number): void => {
    ;[perSecond, refusedMs, answers, sentMs] = [base.perSecond, nowMs, 0, []]
    ;[closedMs, busyMs, busyUntilMs] = [0, 0, nowMs]
  }
  const found = (limit: number): typeof base => ({ perSecond: within(limit), isFound: true })
  const busyAt = (nowMs: number): number =>
    busyMs + Math.min(Math.max(SECOND_MS, 2000 / perSecond), Math.max(0, nowMs - busyUntilMs))

  /** What was let through between two refusals, or at the least flowed into a bucket. */
  const learn = (nowMs: number): number => {
    const between = wasRefused() ? answers / Math.max(1, busyAt(nowMs)) : 0
    const least = sentMs.map((ms, at) => (sentMs.length - at) / (nowMs - ms + SECOND_MS))
    return 1000 * STEADY_SHARE * Math.max(between, ...(closedMs > SECOND_MS ? [] : least))
  }
  const count = (isAlone: boolean, isLong: boolean): void => {
    if (isAlone && wasAlone) cuts = 0
    if (cuts === 0) before = base
    if (!isAlone) cuts++
    wasAlone = isAlone
    isChance = !isAlone && !isLong && cuts >= CUTS_IN_VAIN
  }
  const judge = (nowMs: number): boolean => {
    const limit = learn(nowMs)
    const isLong = closedMs > SECOND_MS
    const isAlone = !isLong && (answers >= ANSWERS_BEFORE_ALONE || !wasRefused())
    count(isAlone, isLong)
    const least = base.isFound ? base.perSecond : perSecond / 2
    if (isChance) [base, foundPerSecond] = [before, undefined]
    else if (isAlone) base = found(Math.max(limit, least))
    else base = found(Math.min(base.perSecond, Math.max(limit, perSecond / MOST_AT_ONCE)))
    startRound(nowMs)
    return !isAlone && !isChance
  }
  /** A refusal while they are believed to be chance. */
  const judgeChance = (nowMs: number): boolean => {
    const { share, inARow } = MOST_BY_CHANCE
    if (++refusalsInARow < inARow && refusedShare <= share) return false
    ;[cuts, isChance] = [0, false]
    base = found(perSecond * (1 - refusedShare))
    startRound(nowMs)
    return true
  }
  const pause = (nowMs: number, retryAfterMs: number | undefined): void => {
    const ownMs = Math.min(FIRST_PAUSE_MS * 2 ** refusalsInARow++, LONGEST_PAUSE_MS)
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? ownMs))
    closedMs = busyMs = pausedUntilMs - refusedMs
    busyUntilMs = pausedUntilMs
  }

  return {
    /** `foundPerSecond` may be kept. Where it `isClosed`, requests go one at a time. */
    get allowance() {
      const isClosed = refusalsInARow > 0 && !isChance
      return { perSecond, foundPerSecond, pausedUntilMs, isClosed }
    },
    /** Takes the next slot, if it has come; else answers how long to wait for it. */
    take(nowMs: number): number {
      const readyMs = Math.max(nextSlotMs, pausedUntilMs)
      if (readyMs > nowMs) return readyMs - nowMs
      const slotMs = 1000 / perSecond
      nextSlotMs = Math.max(nowMs - Math.min(LATE_AT_MOST_MS, 2 * slotMs), nextSlotMs) + slotMs
      return 0
    },
    answered(atMs: number): void {
      refusedShare -= refusedShare / LATEST
      if (++answersInARow === ANSWERS_WITHOUT_CHANCE) [cuts, isChance] = [0, false]
      if (atMs <= refusedMs) return
      busyMs = busyAt(atMs)
      busyUntilMs = Math.max(busyUntilMs, atMs)
      sentMs = [...sentMs.slice(1 - ANSWERS_WITHOUT_CHANCE), atMs]
      refusalsInARow = 0
      answers++
      grow()
    },
    /** Answers whether it is more than one that is alone, or chance. */
    refused(atMs: number, nowMs: number, retryAfterMs?: number): boolean {
      answersInARow = 0
      refusedShare += (1 - refusedShare) / LATEST
      const isKnown = atMs <= refusedMs
      if (isKnown || (isChance && (retryAfterMs ?? 0) <= LONGEST_PAUSE_MS)) {
        pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? 0))
        return !isKnown && judgeChance(nowMs)
      }
      const isMore = answers > 0 || !wasRefused() ? judge(nowMs) : true
      if (!isChance) pause(nowMs, retryAfterMs)
      return isMore
    },
  }
}
