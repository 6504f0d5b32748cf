import {
  addAnswer,
  ANSWERS_FOR_A_REFUSAL,
  averageOfAnswers,
  averageOfRound,
  FEWEST_ANSWERS_TO_HOLD,
  isOfLongWindow,
  isPaidFor,
  leastLimit,
  startRound,
} from './pace-round.ts'
import type { Round } from './pace-round.ts'

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
 * What a refusal means: the price of trying more than the steady pace, a limit that is lower than
 * believed, or one more of the requests that were on their way when it came.
 */
export type Refusal = 'of a probe' | 'unexpected' | 'on its way'

const NOTHING_KNOWN = { isOfProbe: false, answersBefore: 0, confirmed: 0 }

/**
 * Nobody learns of a higher limit but by exceeding the old one; what can be chosen is how often and
 * how. After a refusal the pace is steady, just below the limit, until a hundred answers have paid
 * for it; then it rises, slowly near the limit and ever faster beyond, up to the next refusal. What
 * was let through in between says where the limit is, whatever its kind. The more often a limit was
 * found in the same place, the longer it is believed. Before the first refusal the pace soon
 * doubles ten times a second: an API without a limit is asked at full speed. A pace that an earlier
 * run has found is steady from the start.
 */
export function createPace(ceilingPerSecond: number, knownPerSecond?: number): Pace {
  let doublingSinceMs: number | undefined
  /** What the limit is believed to be; undefined until something was refused. */
  let steady: number | undefined
  let foundPerSecond: number | undefined
  let round = startRound(-Infinity, NOTHING_KNOWN)

  const within = (wanted: number): number =>
    Math.min(ceilingPerSecond, Math.max(SLOWEST_PER_SECOND, wanted))

  if (knownPerSecond !== undefined) {
    steady = within(knownPerSecond)
    round = startRound(-Infinity, { ...NOTHING_KNOWN, answersBefore: ANSWERS_FOR_A_REFUSAL })
  }
  let perSecond = steady ?? within(FIRST_PACE_PER_SECOND)

  const learn = (sentMs: number, nowMs: number): number => {
    if (isOfLongWindow(round))
      return Math.max(averageOfRound(round, nowMs), LOWEST_AT_ONCE * (steady ?? 0))
    const least = leastLimit(round, sentMs)
    if (steady === undefined) return least
    if (round.probingSinceMs === undefined)
      return Math.min(perSecond, Math.max(least, averageOfRound(round, nowMs)))
    return Math.max(steady, STEADY_SHARE * Math.max(least, averageOfAnswers(round, sentMs)))
  }

  return {
    get perSecond() {
      return perSecond
    },
    get foundPerSecond() {
      return foundPerSecond
    },
    answered(sentMs, nowMs) {
      if (sentMs <= round.startedMs) return
      addAnswer(round, sentMs)
      if (steady === undefined) {
        if (round.answers < ANSWERS_AT_FIRST_PACE) return
        doublingSinceMs ??= nowMs
        perSecond = within(firstPace(nowMs - doublingSinceMs))
        return
      }
      foundPerSecond = provenPace(round, { steady, perSecond }) ?? foundPerSecond
      if (isPaidFor(round, nowMs)) round.probingSinceMs ??= nowMs
      perSecond = within(nextPace(round, { steady, perSecond }, nowMs))
    },
    refused(sentMs, nowMs, closedUntilMs = nowMs) {
      if (sentMs <= round.startedMs) {
        if (round.isOfProbe) round.refusals++
        return 'on its way'
      }
      const isOfProbe = round.probingSinceMs !== undefined
      if (round.answers > 0) {
        const learned = believed(round.answers) * learn(sentMs, nowMs)
        const limit = within(Math.max(learned, lowestAfter(steady)))
        const isSame = isOfProbe && limit < SAME_LIMIT * steady!
        round = startRound(nowMs, {
          isOfProbe,
          answersBefore: round.answers,
          confirmed: isSame ? round.confirmed + 1 : 0,
        })
        steady = limit
      } else round.refusals++
      steady ??= within(FIRST_GUESS_PER_SECOND)
      perSecond = steady
      round.closedUntilMs = Math.max(round.closedUntilMs, closedUntilMs)
      return isOfProbe ? 'of a probe' : 'unexpected'
    },
  }
}

const firstPace = (sinceMs: number): number =>
  FIRST_PACE_PER_SECOND * 2 ** (sinceMs / FIRST_PACE_DOUBLES_IN_MS)

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
