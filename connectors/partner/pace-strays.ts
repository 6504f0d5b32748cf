/** Refusals that come however slowly one asks: then the pace has nothing to do with them. */

/** So many that no probe explains, and a slower pace has cured none of them. */
const REFUSALS_TO_BELIEVE = 5
/** Where it was believed before and a limit was found after all; but not at a far slower pace. */
const REFUSALS_TO_BELIEVE_AGAIN = 8
const FAR_SLOWER = 8
/** Without any refusal for so many answers a series is over. */
const ANSWERS_TO_END = 300
/** So many in a row are no chance, nor so many times the share that the series had. */
const MOST_IN_A_ROW = 5
const LATEST = 50
const MOST_TIMES_THE_SHARE = 3
const [LEAST_SHARE, MOST_SHARE] = [0.2, 0.4]

/** What held when the first of a series of such refusals came. */
export interface Before {
  steady: number | undefined
  perSecond: number
}

/**
 * A gateway that is restarted, one of several servers that is ill: some of all requests are
 * refused, whatever their pace. Under a limit a slower pace cures that. Where it has not, time
 * after time, refusals are strays: the pace goes back to what it was, until they come in a row, or
 * far more of them than before.
 */
export interface Strays {
  /** Since a series began that no slower pace has ended. */
  readonly isSeries: boolean
  /** Whether refusals are strays now. */
  readonly areBelieved: boolean
  answered(nowMs: number): void
  /** A refusal that no probe explains. Answers what to go back to where it makes them strays. */
  suspect(now: Before): Before | undefined
  /** One more while they are believed. Answers whether they still are. */
  refused(nowMs: number): boolean
  /** The series is explained by a limit that was found. */
  settle(): void
  /** Answers a second among the latest answers and refusals. */
  letThrough(nowMs: number): number
}

export function createStrays(): Strays {
  let refusalsToBelieve = REFUSALS_TO_BELIEVE
  let before: Before | undefined
  let [refusals, answers, answersInARow, refusalsInARow] = [0, 0, 0, 0]
  let mostShare = 0
  let latest: { atMs: number; isAnswer: boolean }[] = []

  const areBelieved = (): boolean => mostShare > 0
  const settle = (): void => {
    before = undefined
    refusals = answers = mostShare = 0
    latest = []
  }
  const add = (atMs: number, isAnswer: boolean): void => {
    latest.push({ atMs, isAnswer })
    if (latest.length > LATEST) latest.shift()
    answersInARow = isAnswer ? answersInARow + 1 : 0
    refusalsInARow = isAnswer ? 0 : refusalsInARow + 1
  }
  const answersOfLatest = (): number => latest.filter(({ isAnswer }) => isAnswer).length

  return {
    settle,
    get isSeries() {
      return before !== undefined
    },
    get areBelieved() {
      return areBelieved()
    },
    answered(nowMs) {
      add(nowMs, true)
      answers++
      if (answersInARow >= ANSWERS_TO_END) settle()
    },
    suspect(now) {
      before ??= now
      refusalsInARow = 0
      answersInARow = 0
      const isFarSlower = now.perSecond < before.perSecond / FAR_SLOWER
      if (++refusals < (isFarSlower ? REFUSALS_TO_BELIEVE : refusalsToBelieve)) return undefined
      const share = (MOST_TIMES_THE_SHARE * refusals) / (answers + refusals)
      mostShare = Math.min(MOST_SHARE, Math.max(LEAST_SHARE, share))
      latest = []
      return before
    },
    refused(nowMs) {
      add(nowMs, false)
      const refused = latest.length - answersOfLatest()
      if (refused <= mostShare * LATEST && refusalsInARow < MOST_IN_A_ROW) return true
      refusalsToBelieve = REFUSALS_TO_BELIEVE_AGAIN
      return false
    },
    letThrough: nowMs =>
      (1000 * answersOfLatest()) / Math.max(1, nowMs - (latest[0]?.atMs ?? nowMs)),
  }
}
