import {
  addAnswer,
  ANSWERS_FOR_A_REFUSAL,
  averageOfAnswers,
  averageOfRound,
  averageWhenBusy,
  FEWEST_ANSWERS_TO_HOLD,
  isClosed,
  isOfLongWindow,
  isPaidFor,
  leastLimit,
  startRound,
} from './pace-round.ts'
import type { Round } from './pace-round.ts'
import { createStrays } from './pace-strays.ts'
import type { Before } from './pace-strays.ts'

/** An API that refuses whatever comes is asked so often at the least. */
const SLOWEST_PER_SECOND = 0.2
/**
 * A limit below this is found by halves: a 503 behind the first answer of a run says nothing of a
 * limit, and must not make it wait seconds for each page.
 */
const SLOW_PER_SECOND = 2
/** Before anything was refused: the first limit is met with few requests on their way. */
const FIRST_PACE_PER_SECOND = 100
/** Most limits have been met by then; without one the pace doubles from there on. */
const ANSWERS_AT_FIRST_PACE = 30
const FIRST_PACE_DOUBLES_IN_MS = 100
/** Where the very first request is refused. */
const FIRST_GUESS_PER_SECOND = 20
/** A limit that is found less than this times higher is the same one. */
const SAME_LIMIT = 1.01
/** A sliding window lets a few through before it is open; the pace falls to this share of it. */
const LOWEST_AT_ONCE = 1 / 16
/** A little less than what seems to be the limit: at the limit itself chance refuses. */
const STEADY_SHARE = 0.98
/** Fewer answers say less of a limit than those before a refusal that was in doubt. */
const ANSWERS_OF_AN_AVERAGE = 10
/** What n answers have shown is believed to n / (n + this). */
const DOUBT_IN_ANSWERS = 0.15
/** The pace grows by e to the power of this times the square of the seconds: threefold in 2.3 s. */
const PROBE_GROWTH = 0.2
/** From this multiple of the steady pace on it grows with each answer. */
const PROBE_UP_TO = 3
const GROWTH_BEYOND = 1.005

/** A pace that finds the limit of an API that does not state it. Its callers tell the time. */
export interface Pace {
  /** Requests a second to send now. */
  readonly perSecond: number
  /** What was let through for long and may be kept; undefined where nothing was refused. */
  readonly foundPerSecond: number | undefined
  answered(sentMs: number, nowMs: number): void
  /** `closedUntilMs`: by the API's own word no request is let through before. */
  refused(sentMs: number, nowMs: number, closedUntilMs?: number): Refusal
}

/**
 * What a refusal means: the price of trying more than the steady pace, the first that nothing
 * explains, a limit that is lower than believed, nothing, or one more of the requests that were on
 * their way when it came.
 */
export type Refusal = 'of a probe' | 'unexpected' | 'on its way' | 'doubtful' | 'stray'

/** A longer pause that the API asks for is about a window of time that is used up. */
const LONGEST_PAUSE_OF_A_STRAY_MS = 5_000

const NOTHING_KNOWN = { isOfProbe: false, answersBefore: 0, confirmed: 0 }
const KNOWN = { ...NOTHING_KNOWN, answersBefore: ANSWERS_FOR_A_REFUSAL }

/**
 * Nobody learns of a higher limit but by exceeding the old one; what can be chosen is how often and
 * how. After a refusal the pace is steady, just below the limit, until a hundred answers have paid
 * for it; then it rises, slowly near the limit and ever faster beyond, up to the next refusal. What
 * was let through in between says where the limit is, whatever its kind. The more often a limit was
 * found in the same place, the longer it is believed. A refusal that no probe explains lowers
 * nothing before a second one follows: one alone may be chance. Before the first refusal the pace
 * soon doubles ten times a second: an API without a limit is asked at full speed. A pace that an
 * earlier run has found is steady from the start.
 */
export function createPace(ceilingPerSecond: number, knownPerSecond?: number): Pace {
  const within = (wanted: number): number =>
    Math.min(ceilingPerSecond, Math.max(SLOWEST_PER_SECOND, wanted))
  /** What the limit is believed to be; undefined until something was refused. */
  let steady = knownPerSecond === undefined ? undefined : within(knownPerSecond)
  let perSecond = steady ?? within(FIRST_PACE_PER_SECOND)
  let round = startRound(-Infinity, steady === undefined ? NOTHING_KNOWN : KNOWN)
  let doublingSinceMs: number | undefined
  let foundPerSecond: number | undefined
  const strays = createStrays()

  const settleOn = (limit: number): void => {
    steady = within(limit)
    perSecond = steady
  }
  const learn = (sentMs: number, nowMs: number): number =>
    within(learnLimit(round, { steady, perSecond }, sentMs, nowMs))

  const refusedByProbe = (sentMs: number, nowMs: number): Refusal => {
    const limit = learn(sentMs, nowMs)
    const confirmed = limit < SAME_LIMIT * steady! ? round.confirmed + 1 : 0
    round = startRound(nowMs, { isOfProbe: true, answersBefore: round.answers, confirmed })
    settleOn(limit)
    strays.settle()
    return 'of a probe'
  }

  /** The first of them is given the benefit of the doubt: the second one lowers the pace. */
  const refusedUnexpectedly = (sentMs: number, nowMs: number, isLong: boolean): Refusal => {
    const isFirst = !strays.isSeries
    if (isLong) strays.settle()
    const before = isLong ? undefined : strays.suspect({ steady, perSecond })
    if (before !== undefined) {
      ;({ steady, perSecond } = before)
      // What a slower pace had seemed to find was no limit.
      foundPerSecond = undefined
      round = startRound(nowMs, NOTHING_KNOWN)
      return 'stray'
    }
    const limit = learn(sentMs, nowMs)
    round = roundAfter(round, nowMs, steady)
    if (!isFirst || isLong) {
      settleOn(limit)
      return 'unexpected'
    }
    round.inDoubt = limit
    perSecond = steady ?? Math.max(limit, perSecond / 2)
    return 'doubtful'
  }

  const refusedAgain = (nowMs: number): Refusal => {
    round.refusals++
    if (isClosed(round, nowMs)) strays.settle()
    settleOn(round.inDoubt ?? steady ?? FIRST_GUESS_PER_SECOND)
    round.inDoubt = undefined
    return 'unexpected'
  }

  const refusedOnItsWay = (): Refusal => {
    round.refusals++
    if (round.inDoubt !== undefined && round.refusals > 1 + round.answersOnTheirWay) {
      settleOn(round.inDoubt)
      round.inDoubt = undefined
    }
    return 'on its way'
  }

  const refusedAlthoughStrays = (nowMs: number): Refusal => {
    if (strays.refused(nowMs)) return 'stray'
    settleOn(strays.letThrough(nowMs))
    round = startRound(nowMs, KNOWN)
    strays.settle()
    return 'unexpected'
  }

  const judge = (sentMs: number, nowMs: number, isLong: boolean): Refusal => {
    if (round.answers === 0) return refusedAgain(nowMs)
    if (round.probingSinceMs !== undefined) return refusedByProbe(sentMs, nowMs)
    return refusedUnexpectedly(sentMs, nowMs, isLong)
  }

  /** Before a limit was found. A refusal in doubt stops the doubling for some answers, too. */
  const speedUpAtFirst = (nowMs: number): void => {
    const isHeld = doublingSinceMs === undefined || round.inDoubt !== undefined
    if (isHeld && round.answers < ANSWERS_AT_FIRST_PACE) return
    doublingSinceMs ??= nowMs
    perSecond = within(firstPace(nowMs - doublingSinceMs))
  }

  const speedUp = (steady: number, nowMs: number): void => {
    if (!strays.areBelieved)
      foundPerSecond = provenPace(round, { steady, perSecond }) ?? foundPerSecond
    if (isPaidFor(round, nowMs)) round.probingSinceMs ??= nowMs
    perSecond = within(nextPace(round, { steady, perSecond }, nowMs))
  }

  return {
    get perSecond() {
      return perSecond
    },
    get foundPerSecond() {
      return foundPerSecond
    },
    answered(sentMs, nowMs) {
      strays.answered(nowMs)
      if (sentMs <= round.startedMs) {
        round.answersOnTheirWay++
        return
      }
      addAnswer(round, sentMs, perSecond)
      if (steady === undefined) speedUpAtFirst(nowMs)
      else speedUp(steady, nowMs)
    },
    refused(sentMs, nowMs, closedUntilMs = nowMs) {
      const isLong = closedUntilMs - nowMs > LONGEST_PAUSE_OF_A_STRAY_MS
      if (strays.areBelieved && !isLong) return refusedAlthoughStrays(nowMs)
      if (sentMs <= round.startedMs) return refusedOnItsWay()
      const refusal = judge(sentMs, nowMs, isLong)
      round.closedUntilMs = Math.max(round.closedUntilMs, closedUntilMs)
      return refusal
    },
  }
}

/** What a refusal says of the limit. */
function learnLimit(
  round: Round,
  { steady, perSecond }: Before,
  sentMs: number,
  nowMs: number,
): number {
  const limit = (): number => {
    if (isOfLongWindow(round))
      return Math.max(averageOfRound(round, nowMs), LOWEST_AT_ONCE * (steady ?? 0))
    const least = leastLimit(round, sentMs)
    if (steady !== undefined && round.probingSinceMs !== undefined)
      return Math.max(steady, STEADY_SHARE * Math.max(least, averageOfAnswers(round, sentMs)))
    const average = averageWhenBusy(round, nowMs, perSecond)
    const isConfirmed = round.inDoubt !== undefined
    if (steady === undefined) return isConfirmed ? firstLimit(round, average) : least
    return Math.min(perSecond, isConfirmed ? average : Math.max(least, average))
  }
  return Math.max(believed(round.answers) * limit(), lowestAfter(steady))
}

const firstPace = (sinceMs: number): number =>
  FIRST_PACE_PER_SECOND * 2 ** (sinceMs / FIRST_PACE_DOUBLES_IN_MS)

/** What a second refusal behind few answers says: the bucket was empty both times. */
const firstLimit = ({ answers, inDoubt = 0 }: Round, average: number): number =>
  answers >= ANSWERS_OF_AN_AVERAGE ? average : Math.max(inDoubt, average)

/** The one that begins with a refusal that no probe explains. */
function roundAfter(round: Round, nowMs: number, steady: number | undefined): Round {
  const isOfFirstLimit = steady === undefined && round.inDoubt !== undefined
  const answersBefore = round.answers + (isOfFirstLimit ? round.answersBefore : 0)
  const refusals = isOfFirstLimit ? 2 : 1
  return { ...startRound(nowMs, { ...NOTHING_KNOWN, answersBefore }), refusals }
}

const lowestAfter = (steady = Infinity): number => Math.min(SLOW_PER_SECOND, steady / 2)

const believed = (answers: number): number => answers / (answers + DOUBT_IN_ANSWERS)

/** The steady pace after a refusal; three times as much, where that was let through as well. */
function provenPace(
  { answers, startedMs }: Round,
  { steady, perSecond }: { steady: number; perSecond: number },
): number | undefined {
  if (perSecond >= PROBE_UP_TO * steady) return PROBE_UP_TO * steady
  const isAfterRefusal = startedMs > -Infinity
  return isAfterRefusal && answers >= FEWEST_ANSWERS_TO_HOLD ? steady : undefined
}

function nextPace(
  { probingSinceMs }: Round,
  { steady, perSecond }: { steady: number; perSecond: number },
  nowMs: number,
): number {
  if (probingSinceMs === undefined) return steady
  const most = PROBE_UP_TO * steady
  if (perSecond >= most) return perSecond * GROWTH_BEYOND
  const seconds = (nowMs - probingSinceMs) / 1000
  return Math.min(most, steady * Math.exp(PROBE_GROWTH * seconds ** 2))
}
