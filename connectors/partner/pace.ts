/** Below this a refusal says little about pace; the pause after it does the rest. */
const SLOWEST_PER_SECOND = 2
/** Before anything was refused: the first limit is met with few requests on their way. */
const FIRST_PACE_PER_SECOND = 100
const FIRST_PACE_DOUBLES_IN_MS = 100
/** Where the very first request is refused. */
const FIRST_GUESS_PER_SECOND = 20
/** Each refusal of a probe is paid for by so many answers at a steady pace, up to three. */
const ANSWERS_FOR_A_REFUSAL = 100
const MOST_ANSWERS_TO_HOLD = 300
/** What few answers have shown is held for six times as many, but for so many at the least. */
const HOLD_FOR_EACH_ANSWER = 6
const FEWEST_ANSWERS_TO_HOLD = 50
/** So many refusals in a row, within a minute: this limit counts over longer than a second. */
const REFUSALS_OF_A_LONG_WINDOW = 3
const LONGEST_WINDOW_MS = 60_000
/** A little less than what seems to be the limit: at the limit itself chance refuses. */
const STEADY_SHARE = 0.98
/** The pace grows by e to the power of this times the square of the seconds: threefold in 2.3 s. */
const PROBE_GROWTH = 0.2
/** From this multiple of the steady pace on it grows with each answer. */
const PROBE_UP_TO = 3
const GROWTH_BEYOND = 1.005
/** Of a round; what is older says nothing about the limit of now. */
const ANSWERS_REMEMBERED = 1000

/** A pace that finds the limit of an API that does not state it. Its callers tell the time. */
export interface Pace {
  /** Requests a second to send now. */
  readonly perSecond: number
  answered(sentMs: number, nowMs: number): void
  refused(sentMs: number, nowMs: number): Refusal
}

/**
 * What a refusal means: the price of trying more than the steady pace, a limit that is lower than
 * believed, or one more of the requests that were on their way when it came.
 */
export type Refusal = 'of a probe' | 'unexpected' | 'on its way'

/** From one refusal to the next. */
interface Round {
  startedMs: number
  /** Whether a probe began it: then what was refused with it is to be paid for, too. */
  isOfProbe: boolean
  /** How many have shown what it begins with: few, when a limit has just fallen. */
  answersBefore: number
  refusals: number
  /** Of these, one after the other before anything was answered. */
  refusalsInARow: number
  answers: number
  /** When the first of them was sent, and the last thousand. */
  firstSentMs: number
  sentMs: number[]
  /** Since when more than the steady pace is tried. */
  probingSinceMs: number | undefined
}

const startRound = (startedMs: number, isOfProbe: boolean, answersBefore: number): Round => ({
  startedMs,
  isOfProbe,
  answersBefore,
  refusals: 1,
  refusalsInARow: 1,
  answers: 0,
  firstSentMs: 0,
  sentMs: [],
  probingSinceMs: undefined,
})

/**
 * Nobody learns of a higher limit but by exceeding the old one; what can be chosen is how often and
 * how. After a refusal the pace is steady, just below the limit, until a hundred answers have paid
 * for it; then it rises, slowly near the limit and ever faster beyond, up to the next refusal. What
 * was let through in between says where the limit is, whatever its kind. Before the first refusal
 * the pace doubles ten times a second: an API without a limit is soon asked at full speed.
 */
export function createPace(ceilingPerSecond: number): Pace {
  let perSecond = Math.min(ceilingPerSecond, FIRST_PACE_PER_SECOND)
  let firstAnswerMs: number | undefined
  /** What the limit is believed to be; undefined until something was refused. */
  let steady: number | undefined
  let round = startRound(-Infinity, false, 0)

  const within = (wanted: number): number =>
    Math.min(ceilingPerSecond, Math.max(SLOWEST_PER_SECOND, wanted))

  const learn = (sentMs: number, nowMs: number): number => {
    if (isOfLongWindow(round)) return averageOfRound(round, nowMs)
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
    answered(sentMs, nowMs) {
      if (sentMs <= round.startedMs) return
      addAnswer(round, sentMs)
      if (steady === undefined) {
        firstAnswerMs ??= nowMs
        perSecond = within(firstPace(nowMs - firstAnswerMs))
        return
      }
      if (round.answers >= answersToHold(round)) round.probingSinceMs ??= nowMs
      perSecond = within(nextPace(round, { steady, perSecond }, nowMs))
    },
    refused(sentMs, nowMs) {
      if (sentMs <= round.startedMs) {
        if (round.isOfProbe) round.refusals++
        return 'on its way'
      }
      const isOfProbe = round.probingSinceMs !== undefined
      if (round.answers > 0) {
        perSecond = steady = within(learn(sentMs, nowMs))
        round = startRound(nowMs, isOfProbe, round.answers)
      } else {
        round.refusals++
        round.refusalsInARow++
        steady ??= within(FIRST_GUESS_PER_SECOND)
        perSecond = within(0.7 * Math.min(perSecond, steady))
      }
      return isOfProbe ? 'of a probe' : 'unexpected'
    },
  }
}

const firstPace = (sinceFirstAnswerMs: number): number =>
  FIRST_PACE_PER_SECOND * 2 ** (sinceFirstAnswerMs / FIRST_PACE_DOUBLES_IN_MS)

function addAnswer(round: Round, sentMs: number): void {
  if (round.answers++ === 0) round.firstSentMs = sentMs
  round.sentMs.push(sentMs)
  if (round.sentMs.length > ANSWERS_REMEMBERED) round.sentMs.shift()
}

const answersToHold = ({ refusals, answersBefore }: Round): number =>
  Math.min(
    MOST_ANSWERS_TO_HOLD,
    ANSWERS_FOR_A_REFUSAL * refusals,
    Math.max(FEWEST_ANSWERS_TO_HOLD, HOLD_FOR_EACH_ANSWER * answersBefore),
  )

const isOfLongWindow = ({ refusalsInARow, firstSentMs, startedMs }: Round): boolean =>
  refusalsInARow >= REFUSALS_OF_A_LONG_WINDOW && firstSentMs - startedMs <= LONGEST_WINDOW_MS

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

/**
 * The limit, if it is a bucket, which was empty when the round began and is empty now, or a window
 * of a minute, which was full.
 */
const averageOfRound = ({ answers, startedMs }: Round, nowMs: number): number =>
  (1000 * answers) / Math.max(1, nowMs - startedMs)

/**
 * The limit, if it counts the requests of a time: then the pause when the round began has nothing
 * to do with it. For a bucket it is too much by what flowed in during the pause, which lasts a
 * round.
 */
const averageOfAnswers = ({ answers, firstSentMs }: Round, refusedMs: number): number =>
  (1000 * answers) / Math.max(1, refusedMs - firstSentMs)

/**
 * What the limit is at the least: over any time up to the refusal, a bucket of one second lets
 * through what it holds and what flows in. This finds a limit that has just risen, or the first
 * one.
 */
function leastLimit({ sentMs }: Round, refusedMs: number): number {
  const limits = sentMs.map((ms, at) => (1000 * (sentMs.length - at)) / (refusedMs - ms + 1000))
  return Math.max(...limits)
}
