import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pace } from '../../../connectors/partner/pace.ts'
import { fraction, mix } from '../../../sandbox/values/random.ts'
import {
  bucket,
  drive,
  fixedWindow,
  refusedShare,
  settle,
  slidingWindow,
} from './simulated-limits.ts'
import type { Limiter } from './simulated-limits.ts'

/** Whatever of these limits it is: so small a share is refused, and so much of it is used. */
function expectFound<Limit extends { rate: number }>(
  limits: fc.Arbitrary<Limit>,
  limiterOf: (limit: Limit) => Limiter,
  { refused, used }: { refused: number; used: number },
): void {
  fc.assert(
    fc.property(limits, limit => {
      const driven = settle(limiterOf(limit))
      expect(refusedShare(driven)).toBeLessThan(refused)
      expect(driven.answered / 480).toBeGreaterThan(used * limit.rate)
    }),
    { numRuns: 15 },
  )
}

describe('a limit that stays', () => {
  it('as a bucket of any size refuses less than 2 %, and nearly all of it is used', () => {
    const limits = fc.record({
      rate: fc.double({ min: 8, max: 150, noNaN: true }),
      burstSeconds: fc.double({ min: 0.5, max: 5, noNaN: true }),
    })
    expectFound(limits, ({ rate, burstSeconds }) => bucket(() => rate, burstSeconds), {
      refused: 0.02,
      used: 0.88,
    })
  })

  it('of one or two requests a second is found, too', () => {
    const limits = fc.record({ rate: fc.double({ min: 1, max: 2, noNaN: true }) })
    expectFound(limits, ({ rate }) => bucket(() => rate, 1), { refused: 0.02, used: 0.45 })
  })

  it('by the minute, whose end the API states, is spread over the minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), rate => {
        const inMinute = fixedWindow(() => rate, 60_000)
        const driven = settle(atMs => inMinute(atMs) || Math.ceil(atMs / 60_000) * 60_000)
        expect(driven.refused).toBeLessThanOrEqual(8)
        expect(driven.answered / 480).toBeGreaterThan(0.8 * rate)
      }),
      { numRuns: 15 },
    )
  })

  it('by windows of a second refuses less than 3 %, and most of it is used', () => {
    const limits = fc.record({
      rate: fc.integer({ min: 10, max: 150 }),
      window: fc.constantFrom(fixedWindow, slidingWindow),
    })
    expectFound(limits, ({ rate, window }) => window(() => rate, 1000), {
      refused: 0.03,
      used: 0.78,
    })
  })

  it('by windows of up to a minute refuses few, and most of it is used', () => {
    const limits = fc.record({
      rate: fc.integer({ min: 15, max: 50 }),
      windowMs: fc.constantFrom(10_000, 60_000),
      window: fc.constantFrom(fixedWindow, slidingWindow),
    })
    expectFound(limits, ({ rate, windowMs, window }) => window(() => rate, windowMs), {
      refused: 0.04,
      used: 0.4,
    })
  })

  it('by windows of some seconds, whose end the API states, refuses few, and most of it is used', () => {
    const limits = fc.record({
      rate: fc.double({ min: 1, max: 50, noNaN: true }),
      windowMs: fc.constantFrom(2_000, 5_000),
    })
    expectFound(
      limits,
      ({ rate, windowMs }) => {
        const inWindow = fixedWindow(() => rate, windowMs)
        const end = (atMs: number): number => (Math.floor(atMs / windowMs) + 1) * windowMs
        return atMs => inWindow(atMs) || end(atMs)
      },
      { refused: 0.04, used: 0.6 },
    )
  })

  it('as a bucket that wants pauses of seconds refuses less than 2 %, and half of it is used', () => {
    const limits = fc.record({
      rate: fc.double({ min: 1, max: 20, noNaN: true }),
      pauseMs: fc.integer({ min: 1_001, max: 5_000 }),
    })
    expectFound(
      limits,
      ({ rate, pauseMs }) => {
        const isLetThrough = bucket(() => rate, 1)
        return atMs => isLetThrough(atMs) || atMs + pauseMs
      },
      { refused: 0.02, used: 0.45 },
    )
  })

  it('is not forgotten in times in which less is asked for', () => {
    const demands = fc.record({
      rate: fc.double({ min: 5, max: 100, noNaN: true }),
      share: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
    })
    fc.assert(
      fc.property(demands, ({ rate, share }) => {
        const pace = new Pace(1000)
        const limiter = bucket(() => rate, 1)
        drive(pace, limiter, 0, 120_000)
        let answered = 0
        let nowMs = 120_000
        for (let times = 0; times < 10; times++) {
          const fullMs = nowMs + 200_000 / rate
          drive(pace, limiter, nowMs, fullMs, share * rate)
          nowMs = fullMs + 20_000
          answered += drive(pace, limiter, fullMs, nowMs).answered
        }
        // The least of 1,500 random ones was 0.84, of five requests a second.
        expect(answered / 200).toBeGreaterThan(0.8 * rate)
      }),
      { numRuns: 15 },
    )
  })

  it('refuses half of what comes at twice its pace', () => {
    const isLetThrough = fixedWindow(() => 20, 1000)
    let refused = 0
    for (let nowMs = 0; nowMs < 60_000; nowMs += 25) if (isLetThrough(nowMs) !== true) refused++
    expect(refused / 2400).toBeCloseTo(0.5)
  })
})

describe('a limit that moves', () => {
  const moves = fc.record({
    before: fc.double({ min: 8, max: 40, noNaN: true }),
    times: fc.double({ min: 1.5, max: 10, noNaN: true }),
  })
  const moving = (before: number, after: number): Limiter =>
    bucket(atMs => (atMs < 60_000 ? before : after), 1)

  it('and falls is followed within twenty seconds, roughly at first, at the price of a few refusals', () => {
    fc.assert(
      fc.property(moves, ({ before, times }) => {
        const after = Math.max(3, before / times)
        const limiter = moving(before, after)
        const pace = new Pace(1000)
        drive(pace, limiter, 0, 60_000)
        // Of 105,000 random ones 0.3 % had more than 8: falls to less than 0.13, 19 the most.
        const few = after / before < 0.14 ? 20 : 8
        expect(drive(pace, limiter, 60_000, 80_000).refused).toBeLessThanOrEqual(few)
        const driven = drive(pace, limiter, 80_000, 140_000)
        expect(driven.answered / 60).toBeGreaterThan(0.6 * after)
      }),
      { numRuns: 15 },
    )
  })

  it('and rises is found: after three hundred answers at the old one nearly all of it is used', () => {
    fc.assert(
      fc.property(moves, ({ before, times }) => {
        const after = before * times
        const limiter = moving(before, after)
        const pace = new Pace(1000)
        drive(pace, limiter, 0, 60_000)
        const foundMs = 60_000 + (300 * 1000) / before
        drive(pace, limiter, 60_000, foundMs)
        const driven = drive(pace, limiter, foundMs, foundMs + 60_000)
        expect(driven.answered / 60).toBeGreaterThan(0.9 * after)
        expect(refusedShare(driven)).toBeLessThan(0.012)
      }),
      { numRuns: 15 },
    )
  })
})

describe('the pace', () => {
  it('is not lowered by a refusal that is alone, and by the next to what was let through, a third at the least', () => {
    const pace = new Pace(100, 80)
    pace.answered(0)
    expect(pace.refused(20, 30)).toBe(false)
    expect(pace.allowance.perSecond).toBe(80)
    for (let ms = 500; ms < 1500; ms += 20) pace.answered(ms)
    expect(pace.refused(1500, 1510)).toBe(true)
    expect(pace.allowance.perSecond).toBeCloseTo((0.98 * 50_000) / 1480)
    pace.answered(3_600)
    expect(pace.refused(5_200, 5_210)).toBe(true)
    expect(pace.allowance.perSecond).toBeCloseTo((0.98 * 50_000) / 1480 / 3)
  })

  it('is fast again within seconds after early refusals that wanted long pauses', () => {
    for (const pauseMs of [1_500, 2_000, 3_000]) {
      const pace = new Pace(200)
      let asked = 0
      const early: Limiter = atMs => ++asked > 20 || asked % 5 > 0 || atMs + pauseMs
      expect(drive(pace, early, 0, 4 * pauseMs + 1_000, 200).refused).toBe(4)
      expect(pace.allowance.perSecond).toBeLessThan(4)
      const { answered } = drive(pace, early, 4 * pauseMs + 1_000, 17 * pauseMs, 200)
      expect(answered).toBeGreaterThan(400)
    }
  })

  it('is not a crawl where few are refused by chance, with a pause of some seconds', () => {
    const refusals = fc.record({
      share: fc.double({ min: 0.02, max: 0.1, noNaN: true }),
      pauseMs: fc.integer({ min: 1_100, max: 3_000 }),
      seed: fc.integer(),
    })
    fc.assert(
      fc.property(refusals, ({ share, pauseMs, seed }) => {
        const pace = new Pace(200)
        let asked = 0
        const byChance: Limiter = atMs => fraction(mix(seed, ++asked)) >= share || atMs + pauseMs
        const { answered } = drive(pace, byChance, 0, 600_000, 200)
        expect(answered).toBeGreaterThan(1_000)
      }),
      // By chance one run in a thousand crawls for minutes (measured): the seed is none by chance.
      { numRuns: 30, seed: 1 },
    )
  })

  it('is raised by time after three long pauses without a refusal, and thrice as late where that was refused', () => {
    const pace = new Pace(100, 10)
    let nowMs = 0
    const refuse = (retryAfterMs: number): void => {
      pace.refused((nowMs += 10), nowMs, retryAfterMs)
      nowMs += retryAfterMs
    }
    /** One request a second: so few answers raise nothing. */
    const raisedAfter = (seconds: number): number => {
      for (let second = 0; second < seconds; second++) pace.answered((nowMs += 1_000))
      return pace.allowance.perSecond / pace.state.base.perSecond
    }
    refuse(1_000)
    expect(raisedAfter(30)).toBeLessThan(1.05)
    refuse(60_000)
    expect(raisedAfter(60)).toBeLessThan(1.05)
    Object.assign(pace.state, new Pace(100, 10).state)
    refuse(2_000)
    expect(raisedAfter(6)).toBeCloseTo(2)
    refuse(2_000)
    expect(raisedAfter(6)).toBeLessThan(1.05)
    expect(raisedAfter(12)).toBeCloseTo(2)
  })

  it('never passes the ceiling that was configured, and never falls below one in five seconds or it', () => {
    const ceilings = fc.record({
      ceiling: fc.constantFrom(0.1, 0.5, 1, 3, 20, 100),
      rate: fc.integer({ min: 1, max: 200 }),
    })
    fc.assert(
      fc.property(ceilings, ({ ceiling, rate }) => {
        const driven = drive(
          new Pace(ceiling),
          bucket(() => rate, 1),
          0,
          300_000,
        )
        expect(driven.highest).toBeLessThanOrEqual(ceiling)
        expect(driven.lowest).toBeGreaterThanOrEqual(Math.min(0.2, ceiling))
      }),
      { numRuns: 15 },
    )
  })

  it('rises to any ceiling within four hundred answers as long as nothing is refused', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), ceiling => {
        const pace = new Pace(ceiling)
        expect(pace.allowance.perSecond).toBe(Math.min(100, ceiling))
        for (let ms = 0; ms < 400; ms++) pace.answered(ms)
        expect(pace.allowance.perSecond).toBe(ceiling)
      }),
      { numRuns: 15 },
    )
  })

  it('that is known is steady from the start, and at most one of the first hundred requests is refused', () => {
    const known = fc.record({
      rate: fc.double({ min: 2, max: 100, noNaN: true }),
      share: fc.double({ min: 0.5, max: 0.98, noNaN: true }),
    })
    fc.assert(
      fc.property(known, ({ rate, share }) => {
        const pace = new Pace(1000, share * rate)
        expect(pace.allowance.perSecond).toBe(share * rate)
        const limiter = bucket(() => rate, 1)
        const { refused } = drive(pace, limiter, 0, 99_000 / (share * rate))
        expect(refused).toBeLessThanOrEqual(1)
        expect(pace.allowance.foundPerSecond).toBeUndefined()
      }),
      { numRuns: 15 },
    )
  })

  it('that is known never passes the ceiling, and is followed where the limit has moved', () => {
    expect(new Pace(10, 40).allowance.perSecond).toBe(10)
    const factors = fc.constantFrom(0.2, 0.5, 2, 10)
    fc.assert(
      fc.property(fc.double({ min: 10, max: 50, noNaN: true }), factors, (known, factor) => {
        const pace = new Pace(1000, known)
        const limiter = bucket(() => factor * known, 1)
        drive(pace, limiter, 0, 60_000)
        const { answered } = drive(pace, limiter, 60_000, 120_000)
        expect(answered / 60).toBeGreaterThan(0.75 * factor * known)
      }),
      { numRuns: 15 },
    )
  })

  it('that may be kept is one that eighty requests were let through at', () => {
    const pace = new Pace(1000)
    const limiter = bucket(() => 20, 1)
    drive(pace, limiter, 0, 3_000)
    expect(pace.allowance.foundPerSecond).toBeUndefined()
    drive(pace, limiter, 3_000, 60_000)
    expect(pace.allowance.foundPerSecond).toBeGreaterThan(18)
    expect(pace.allowance.foundPerSecond).toBeLessThan(21)
    const before = pace.allowance.foundPerSecond
    for (let count = 0; count < 20; count++) pace.refused(60_000 + count, 60_000 + count)
    expect(pace.allowance.foundPerSecond).toBe(before)
  })

  it('that is known is forgotten where three times as much is let through', () => {
    const pace = new Pace(1000, 20)
    drive(pace, () => true, 0, 30_000)
    expect(pace.allowance.foundPerSecond).toBe(60)
  })

  it('that may be kept is none that a slow machine has never tried', () => {
    const pace = new Pace(1000, 50)
    // Thirty a second: it waits for its answers, and not for slots.
    for (let count = 1; count <= 1_000; count++) pace.answered((count * 1000) / 30)
    expect(pace.allowance.perSecond).toBe(1000)
    expect(pace.allowance.foundPerSecond).toBe(50)
  })

  it('takes all requests that were on their way for one refusal, and pauses once for them', () => {
    const pace = new Pace(1000, 100)
    for (let ms = 1; ms <= 20; ms++) pace.answered(ms)
    expect(pace.refused(21, 60)).toBe(false)
    const { perSecond, pausedUntilMs } = pace.allowance
    expect(pausedUntilMs).toBe(210)
    for (const ms of [22, 23, 59]) expect(pace.refused(ms, ms + 40)).toBe(false)
    pace.answered(24)
    expect(pace.allowance).toMatchObject({ perSecond, pausedUntilMs, isClosed: true })
    expect(pace.refused(24, 65, 2_000)).toBe(false)
    expect(pace.allowance.pausedUntilMs).toBe(2_065)
  })

  it('is again what it was, where five refusals come that no slower pace has ended, until more come in a row', () => {
    const pace = new Pace(1000, 100)
    let nowMs = 0
    const refuseAfter = (answers: number): boolean => {
      for (let count = 0; count < answers; count++) pace.answered((nowMs += 20))
      return pace.refused((nowMs += 20), nowMs)
    }
    const slower = [1, 2, 3, 4].map(() => (refuseAfter(20), pace.allowance.perSecond))
    expect(slower).toEqual(slower.toSorted((one, other) => other - one))
    expect(slower.at(-1)).toBeLessThan(50)
    refuseAfter(20)
    expect(refuseAfter(20)).toBe(false)
    expect(pace.allowance).toMatchObject({ perSecond: 100, isClosed: false })
    for (let count = 0; count < 5; count++) refuseAfter(0)
    expect(pace.allowance.perSecond).toBeLessThan(100)
  })
})
