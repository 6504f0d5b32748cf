/** Each refusal of a probe is paid for by so many answers at a steady pace, up to three. */
export const ANSWERS_FOR_A_REFUSAL = 100
const MOST_ANSWERS_TO_HOLD = 300
/** From the fourth probe in a row that finds the same limit on, each pays twice, three times. */
const PROBES_TO_CONFIRM = 3
/** A limit of a hundred a second is not asked about each second. */
const SHORTEST_HOLD_MS = 5_000
/** What few answers have shown is held for six times as many, but for so many at the least. */
const HOLD_FOR_EACH_ANSWER = 6
export const FEWEST_ANSWERS_TO_HOLD = 50
/** No limit of a second is closed for longer than this. */
const CLOSED_BY_A_SECOND_MS = 1_000
/** After a longer gap between two requests fewer were asked for than might have been. */
const LONGEST_GAP_MS = 1_000
const LONGEST_GAP_IN_SLOTS = 2
const MOST_BY_CHANCE = 3
const LONGEST_WINDOW_MS = 60_000
/** What is older says nothing about the limit of now. */
const ANSWERS_REMEMBERED = 1000

/** From one refusal to the next: what was let through, and what that says of the limit. */
export interface Round {
  startedMs: number
  /** Whether a probe began it: then what was refused with it is to be paid for, too. */
  isOfProbe: boolean
  /** How many have shown what it begins with: few, when a limit has just fallen. */
  answersBefore: number
  /** How many probes in a row, up to the one that began it, have found the same limit. */
  confirmed: number
  /** What its refusal would make of the pace, if another one confirms it. */
  inDoubt: number | undefined
  refusals: number
  /** How many that were sent before it were answered after it had begun. */
  answersOnTheirWay: number
  /** Nothing was let through before. */
  closedUntilMs: number
  answers: number
  /** How long it took, without the times in which nothing was asked for. */
  busyMs: number
  /** When the first of them was sent, and the last thousand. */
  firstSentMs: number
  sentMs: number[]
  /** Since when more than the steady pace is tried. */
  probingSinceMs: number | undefined
}

export const startRound = (
  startedMs: number,
  known: Pick<Round, 'isOfProbe' | 'answersBefore' | 'confirmed'>,
): Round => ({
  ...known,
  startedMs,
  inDoubt: undefined,
  refusals: 1,
  answersOnTheirWay: 0,
  closedUntilMs: startedMs,
  answers: 0,
  busyMs: 0,
  firstSentMs: 0,
  sentMs: [],
  probingSinceMs: undefined,
})

export function addAnswer(round: Round, sentMs: number, perSecond: number): void {
  round.busyMs = busyUntil(round, sentMs, perSecond)
  if (round.answers++ === 0) round.firstSentMs = sentMs
  round.sentMs.push(sentMs)
  if (round.sentMs.length > ANSWERS_REMEMBERED) round.sentMs.shift()
}

/** The hold is over: more may be tried. */
export const isPaidFor = (round: Round, nowMs: number): boolean =>
  round.answers >= answersToHold(round) && nowMs - round.startedMs >= SHORTEST_HOLD_MS

const answersToHold = ({ refusals, answersBefore, confirmed }: Round): number =>
  Math.min(
    MOST_ANSWERS_TO_HOLD,
    ANSWERS_FOR_A_REFUSAL * refusals * Math.max(1, confirmed - PROBES_TO_CONFIRM + 1),
    Math.max(FEWEST_ANSWERS_TO_HOLD, HOLD_FOR_EACH_ANSWER * answersBefore),
  )

/** Nothing is let through for longer than a limit of a second or chance would explain. */
export const isClosed = ({ answers, startedMs, refusals }: Round, nowMs: number): boolean =>
  answers === 0 && nowMs - startedMs > CLOSED_BY_A_SECOND_MS && refusals > MOST_BY_CHANCE

/** The limit counts over longer than a second, up to a minute. */
export const isOfLongWindow = ({ closedUntilMs, startedMs, firstSentMs }: Round): boolean =>
  closedUntilMs - startedMs > CLOSED_BY_A_SECOND_MS && firstSentMs - startedMs <= LONGEST_WINDOW_MS

/**
 * The limit, if it is a bucket, which was empty when the round began and is empty now, or a window
 * of a minute, which was full.
 */
export const averageOfRound = ({ answers, startedMs }: Round, nowMs: number): number =>
  (1000 * answers) / Math.max(1, nowMs - startedMs)

/**
 * The same of the time in which something was asked for: no bucket of a second fills for longer.
 */
export const averageWhenBusy = (round: Round, nowMs: number, perSecond: number): number =>
  (1000 * round.answers) / Math.max(1, busyUntil(round, nowMs, perSecond))

function busyUntil(round: Round, nowMs: number, perSecond: number): number {
  const lastMs = round.sentMs.at(-1) ?? round.startedMs
  const mostMs = Math.max(LONGEST_GAP_MS, (LONGEST_GAP_IN_SLOTS * 1000) / perSecond)
  return round.busyMs + Math.min(mostMs, Math.max(0, nowMs - lastMs))
}

/**
 * The limit, if it counts the requests of a time: then the pause when the round began has nothing
 * to do with it. For a bucket it is too much by what flowed in during the pause, which lasts a
 * round.
 */
export const averageOfAnswers = ({ answers, firstSentMs }: Round, refusedMs: number): number =>
  (1000 * answers) / Math.max(1, refusedMs - firstSentMs)

/**
 * What the limit is at the least: over any time up to the refusal, a bucket of one second lets
 * through what it holds, at least one request, and what flows in. This finds a limit that has just
 * risen, or the first one.
 */
export function leastLimit({ sentMs }: Round, refusedMs: number): number {
  const limits = sentMs.map((ms, at) => {
    const answers = sentMs.length - at
    const limit = (1000 * answers) / (refusedMs - ms + 1000)
    return limit >= 1 ? limit : (1000 * (answers - 1)) / Math.max(1, refusedMs - ms)
  })
  return Math.max(...limits)
}
