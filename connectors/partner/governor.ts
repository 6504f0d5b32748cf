import pLimit from 'p-limit'
import { PartnerError } from '../../errors.ts'
import { createPace } from './pace.ts'
import { ALONE } from './turns.ts'
import type { Turns } from './turns.ts'

/** Ceilings from the configuration; the governor stays below them. */
export interface Limits {
  concurrency: number
  requestsPerSecond: number
  /** What an earlier run found that the API lets through; where one begins. */
  knownPerSecond?: number | undefined
  /** Checked by the client, on the wire as well as inflated. Default 64. */
  megabytesPerAnswer?: number
  /** Checked by the client; a second more for each 50 kB that have come. Default 60. */
  secondsPerAnswer?: number
}

/**
 * How many requests at once, and how fast, for one developer key. Every window of every stream
 * shares it.
 */
export interface Governor {
  run<T>(request: () => Promise<T>): Promise<T>
  /** What it allows now, for progress and logs. */
  readonly allowance: { concurrency: number; requestsPerSecond: number; pausedMs: number }
  /** The pace that the API let through, where it refused a faster one; for the next run. */
  readonly foundPerSecond: number | undefined
}

/** Longer pauses belong to Temporal's timers, not to an activity that holds its slot. */
export const LONGEST_PAUSE_HERE_MS = 5_000

/** The first pause after a refusal; each further one in a row takes twice as long. */
const FIRST_PAUSE_MS = 150
/** Or this share of the time for which nothing was let through the last time, if that is longer. */
const SHARE_OF_LAST_TIME = 0.5
/** After a refusal that shows a lower limit so many requests go one by one. */
const TRIALS_AFTER_A_SURPRISE = 3
/** Others wait for the request that shows whether the API answers again, but not for a slow one. */
const LONGEST_TRIAL_MS = 1_000
/** A request that is late by less does not delay those after it. */
const LATE_AT_MOST_MS = 100
const LATE_AT_MOST_SLOTS = 2

/**
 * The documentation states no rate limit, so it is found by trying: the pace is `createPace`'s, and
 * as many requests at once as went well, half as many after a 429 or 503 that shows a lower limit.
 * `Retry-After` is the API's own word and wins over our pauses. After a pause one request goes
 * first, and after such a refusal three do, one by one. What chance refuses pauses nothing. With
 * `turns` the ceilings hold for all processes that send with the key together.
 */
export function createGovernor(limits: Limits, turns: Turns = ALONE): Governor {
  const limit = pLimit(Math.max(1, Math.min(limits.concurrency, Math.ceil(limits.concurrency / 2))))
  const pace = createPace(limits.requestsPerSecond, limits.knownPerSecond)
  let nextSlotMs = -Infinity
  let pausedUntilMs = -Infinity
  let refusingSinceMs = -Infinity
  let firstPauseMs = FIRST_PAUSE_MS
  let refusedAtMs = -Infinity
  let refusalsInARow = 0
  let answersAtConcurrency = 0
  let trialsLeft = 0
  let trial: Trial | undefined

  const takeSlot = (nowMs: number): Trial | undefined => {
    const slotMs = 1000 / pace.perSecond
    const lateAtMostMs = Math.min(LATE_AT_MOST_MS, LATE_AT_MOST_SLOTS * slotMs)
    nextSlotMs = Math.max(nowMs - lateAtMostMs, nextSlotMs) + slotMs
    return trialsLeft === 0 ? undefined : startTrial()
  }

  const startTrial = (): Trial => {
    const mine: Trial = Promise.withResolvers()
    trial = mine
    void later(LONGEST_TRIAL_MS).then(() => endTrial(mine))
    return mine
  }

  /** Answers the trial that the request is, if it is one. */
  const waitForSlot = async (): Promise<Trial | undefined> => {
    for (;;) {
      while (trial !== undefined) await trial.promise
      const nowMs = clock()
      refuseLongPause(pausedUntilMs - nowMs)
      const readyMs = Math.max(pausedUntilMs, nextSlotMs)
      if (readyMs <= nowMs) return takeSlot(nowMs)
      await later(readyMs - nowMs)
    }
  }

  const endTrial = (mine: Trial): void => {
    if (trial === mine) trial = undefined
    mine.resolve()
  }

  const slowDown = (sentMs: number, retryAfterMs: number | undefined): void => {
    const nowMs = clock()
    const refusal = pace.refused(sentMs, nowMs, nowMs + (retryAfterMs ?? 0))
    if (refusal === 'stray' && retryAfterMs === undefined) return
    // Requests that were on their way when the first refusal came are refused too; one slowdown
    // answers them all.
    if (refusal === 'on its way' || nowMs < pausedUntilMs) {
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? 0))
      return
    }
    pauseFor(nowMs, retryAfterMs)
    trialsLeft = 1
    answersAtConcurrency = 0
    if (refusal !== 'unexpected') return
    trialsLeft = TRIALS_AFTER_A_SURPRISE
    limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2))
  }

  const pauseFor = (nowMs: number, retryAfterMs: number | undefined): void => {
    if (refusalsInARow === 0) refusingSinceMs = nowMs
    const ownPauseMs = Math.min(firstPauseMs * 2 ** refusalsInARow, LONGEST_PAUSE_HERE_MS)
    refusalsInARow++
    refusedAtMs = nowMs
    pausedUntilMs = nowMs + (retryAfterMs ?? ownPauseMs)
    nextSlotMs = Math.max(nextSlotMs, pausedUntilMs)
  }

  /** Something is let through again. */
  const noteOpen = (sentMs: number): void => {
    if (refusalsInARow > 0)
      firstPauseMs = Math.max(FIRST_PAUSE_MS, SHARE_OF_LAST_TIME * (sentMs - refusingSinceMs))
    refusalsInARow = 0
    trialsLeft = Math.max(0, trialsLeft - 1)
  }

  const speedUp = (sentMs: number): void => {
    pace.answered(sentMs, clock())
    if (sentMs > refusedAtMs) noteOpen(sentMs)
    // Before anything was refused the pace alone is careful: where answers take long, slots that
    // stay empty are all that is lost.
    if (++answersAtConcurrency < limit.concurrency * 2 && refusedAtMs > -Infinity) return
    answersAtConcurrency = 0
    limit.concurrency = Math.min(turns.shareOf(limits.concurrency), limit.concurrency + 1)
  }

  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    const mine = await waitForSlot()
    await turns.next()
    limit.concurrency = Math.min(limit.concurrency, turns.shareOf(limits.concurrency))
    const sentMs = clock()
    try {
      const answer = await request()
      speedUp(sentMs)
      return answer
    } catch (error) {
      if (isRefusal(error)) slowDown(sentMs, error.retryAfterMs)
      throw error
    } finally {
      if (mine !== undefined) endTrial(mine)
    }
  }

  return {
    run: request => limit(() => ask(request)),
    get foundPerSecond() {
      return pace.foundPerSecond
    },
    get allowance() {
      return {
        concurrency: limit.concurrency,
        requestsPerSecond: pace.perSecond,
        pausedMs: Math.max(0, pausedUntilMs - clock()),
      }
    },
  }
}

type Trial = PromiseWithResolvers<void>

/** A clock that is set back by an hour would hold the next request for as long. */
const clock = (): number => performance.now()

const later = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

function refuseLongPause(pauseMs: number): void {
  if (pauseMs <= LONGEST_PAUSE_HERE_MS) return
  throw new PartnerError('PARTNER_RATE_LIMIT', 'the API asked for a pause that is still running', {
    retryAfterMs: pauseMs,
  })
}

const isRefusal = (error: unknown): error is PartnerError =>
  error instanceof PartnerError &&
  (error.code === 'PARTNER_RATE_LIMIT' ||
    error.refused?.status === 503 ||
    error.retryAfterMs !== undefined)
