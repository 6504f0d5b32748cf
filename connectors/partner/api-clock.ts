import { MINUTE_MS } from '../../calendar/days.ts'

/**
 * How far this machine's clock is from the API's, by the `Date` header of its answers (RFC 9110).
 */
export interface ApiClock {
  /** One answer: its `Date` header, and this machine's clock around it. */
  note(date: string | string[] | undefined, sentAtMs: number, answeredAtMs: number): void
  /**
   * Milliseconds by which this machine is ahead of the API; negative: behind; undefined: no answer
   * has said what time it is. Differences that the second's resolution of the header explains are
   * 0.
   */
  skewMs(): number | undefined
}

/** A difference of more than this is a finding (`clock_skew`). */
export const NOTABLE_SKEW_MS = 2 * MINUTE_MS

/** A `Date` header names a whole second: the API's clock is somewhere in the next 1,000 ms. */
const RESOLUTION_MS = 1000

export function createApiClock(): ApiClock {
  let skewMs: number | undefined
  return {
    note(date, sentAtMs, answeredAtMs) {
      const apiMs = typeof date === 'string' ? Date.parse(date) : Number.NaN
      if (Number.isNaN(apiMs)) return
      skewMs = skewBetween(apiMs, sentAtMs, answeredAtMs)
    },
    skewMs: () => skewMs,
  }
}

/**
 * The smallest difference that explains an answer: the API wrote `apiMs` while this machine's clock
 * stood between `sentAtMs` and `answeredAtMs`.
 */
export function skewBetween(apiMs: number, sentAtMs: number, answeredAtMs: number): number {
  const atLeast = sentAtMs - (apiMs + RESOLUTION_MS)
  const atMost = answeredAtMs - apiMs
  if (atLeast > 0) return atLeast
  if (atMost < 0) return atMost
  return 0
}
