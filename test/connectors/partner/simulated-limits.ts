import { Pace } from '../../../connectors/partner/pace.ts'

/** Whether a request at that time is let through; a number: not before then, as the API says. */
export type Limiter = (atMs: number) => boolean | number
export type Rate = (atMs: number) => number

/** Holds what flows in during `burstSeconds`; what is refused costs nothing. */
export function bucket(rate: Rate, burstSeconds: number): Limiter {
  let tokens = Math.max(1, rate(0) * burstSeconds)
  let filledMs = 0
  return atMs => {
    const flowed = ((atMs - filledMs) / 1000) * rate(atMs)
    tokens = Math.min(Math.max(1, rate(atMs) * burstSeconds), tokens + flowed)
    filledMs = atMs
    if (tokens < 1) return false
    tokens--
    return true
  }
}

/** So many in each window of the clock. */
export function fixedWindow(rate: Rate, windowMs: number): Limiter {
  let current = 0
  let used = 0
  return atMs => {
    const window = Math.floor(atMs / windowMs)
    if (window !== current) used = 0
    current = window
    return ++used <= (rate(atMs) * windowMs) / 1000
  }
}

/** So many in any time of that length. */
export function slidingWindow(rate: Rate, windowMs: number): Limiter {
  const passed: number[] = []
  return atMs => {
    while (passed.length > 0 && passed[0]! <= atMs - windowMs) passed.shift()
    if (passed.length >= (rate(atMs) * windowMs) / 1000) return false
    passed.push(atMs)
    return true
  }
}

interface Driven {
  answered: number
  refused: number
  highest: number
  lowest: number
}

/** One request after the other, each answered at once, as soon as the pace has a slot for it. */
export function drive(
  pace: Pace,
  isLetThrough: Limiter,
  fromMs: number,
  untilMs: number,
  demandPerSecond = Infinity,
): Driven {
  const driven = { answered: 0, refused: 0, highest: 0, lowest: Infinity }
  for (let nowMs = fromMs; nowMs < untilMs;) {
    const { perSecond } = pace.allowance
    driven.highest = Math.max(driven.highest, perSecond)
    driven.lowest = Math.min(driven.lowest, perSecond)
    const waitMs = pace.take(nowMs)
    nowMs += waitMs
    if (waitMs > 0) continue
    const answer = isLetThrough(nowMs)
    if (answer === true) {
      driven.answered++
      pace.answered(nowMs)
    } else {
      driven.refused++
      pace.refused(nowMs, nowMs, answer === false ? undefined : answer - nowMs)
    }
    nowMs += Math.max(0.001, 1000 / demandPerSecond)
  }
  return driven
}

export const refusedShare = ({ answered, refused }: Driven): number =>
  refused / (answered + refused)

/** Ten minutes of a limit, of which the first two are for finding it. */
export function settle(limiter: Limiter): Driven {
  const pace = new Pace(1000)
  drive(pace, limiter, 0, 120_000)
  return drive(pace, limiter, 120_000, 600_000)
}
