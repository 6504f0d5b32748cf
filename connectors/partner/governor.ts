import pLimit from 'p-limit'
import { PartnerError } from '../../errors.ts'

/** Ceilings from the configuration; the governor stays below them. */
export interface Limits {
  concurrency: number
  requestsPerSecond: number
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
}

/** Longer pauses belong to Temporal's timers, not to an activity that holds its slot. */
export const LONGEST_PAUSE_HERE_MS = 5_000

/** Below this a refusal says little about pace; the pause after it does the rest. */
const SLOWEST_PER_SECOND = 2
/** A refusal after fewer answers than this means that the limit has fallen. */
const FEW_ANSWERS = 10
/**
 * The pace grows by a tenth after so many answers: by requests, not by time, so that the same share
 * of them is refused under any limit.
 */
const ANSWERS_TO_SPEED_UP = 14

/**
 * The documentation states no rate limit, so it is found by trying: one more request at once after
 * each round that went well, half as many and a slower pace after a 429 or 503 (additive increase,
 * multiplicative decrease). `Retry-After` is the API's own word and wins over our pace.
 */
export function createGovernor(limits: Limits, clock: () => number = Date.now): Governor {
  const limit = pLimit(Math.max(1, Math.min(limits.concurrency, Math.ceil(limits.concurrency / 2))))
  let requestsPerSecond = limits.requestsPerSecond
  let nextSlotMs = 0
  let pausedUntilMs = 0
  let refusalsInARow = 0
  let answersAtConcurrency = 0
  let answersAtPace = 0
  let answersSinceRefusal = 0
  let refusedAtMs = clock()
  let startedThisSecond = 0
  let secondStartedMs = 0
  let measuredPerSecond = 0

  const measure = (nowMs: number): void => {
    if (nowMs - secondStartedMs >= 1000) {
      measuredPerSecond = startedThisSecond
      startedThisSecond = 0
      secondStartedMs = nowMs
    }
    startedThisSecond++
  }

  const waitForSlot = async (): Promise<void> => {
    for (;;) {
      const nowMs = clock()
      if (pausedUntilMs - nowMs > LONGEST_PAUSE_HERE_MS) {
        throw new PartnerError(
          'PARTNER_RATE_LIMIT',
          'the API asked for a pause that is still running',
          { retryAfterMs: pausedUntilMs - nowMs },
        )
      }
      const readyMs = Math.max(pausedUntilMs, nextSlotMs)
      if (readyMs <= nowMs) {
        nextSlotMs = Number.isFinite(requestsPerSecond)
          ? Math.max(nowMs - 100, nextSlotMs) + 1000 / requestsPerSecond
          : 0
        measure(nowMs)
        return
      }
      await new Promise(resolve => setTimeout(resolve, readyMs - nowMs))
    }
  }

  /** The pace after a refusal: three tenths less, or what a limit that has fallen lets through. */
  const slowerPace = (nowMs: number): number => {
    const reached = Math.min(requestsPerSecond, Math.max(measuredPerSecond, startedThisSecond))
    if (answersSinceRefusal === 0 || answersSinceRefusal >= FEW_ANSWERS) return 0.7 * reached
    const letThrough = (answersSinceRefusal * 1000) / Math.max(1, nowMs - refusedAtMs)
    return Math.min(reached, letThrough)
  }

  const slowDown = (retryAfterMs: number | undefined): void => {
    const nowMs = clock()
    // Requests already on their way when the first refusal came are refused too; one slowdown
    // answers them all.
    if (nowMs < pausedUntilMs) {
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? 0))
      return
    }
    refusalsInARow++
    requestsPerSecond = Math.min(
      limits.requestsPerSecond,
      Math.max(SLOWEST_PER_SECOND, slowerPace(nowMs)),
    )
    limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2))
    answersAtConcurrency = answersAtPace = answersSinceRefusal = 0
    refusedAtMs = nowMs
    pausedUntilMs = nowMs + (retryAfterMs ?? Math.min(250 * 2 ** refusalsInARow, 4_000))
  }

  const speedUp = (): void => {
    refusalsInARow = 0
    answersSinceRefusal++
    if (++answersAtConcurrency >= limit.concurrency * 2 && limit.concurrency < limits.concurrency) {
      answersAtConcurrency = 0
      limit.concurrency++
    }
    if (++answersAtPace < ANSWERS_TO_SPEED_UP) return
    answersAtPace = 0
    requestsPerSecond = Math.min(limits.requestsPerSecond, requestsPerSecond * 1.1)
  }

  return {
    run: request =>
      limit(async () => {
        await waitForSlot()
        try {
          const answer = await request()
          speedUp()
          return answer
        } catch (error) {
          if (
            error instanceof PartnerError &&
            (error.code === 'PARTNER_RATE_LIMIT' ||
              error.refused?.status === 503 ||
              error.retryAfterMs !== undefined)
          )
            slowDown(error.retryAfterMs)
          throw error
        }
      }),
    get allowance() {
      return {
        concurrency: limit.concurrency,
        requestsPerSecond,
        pausedMs: Math.max(0, pausedUntilMs - clock()),
      }
    },
  }
}
