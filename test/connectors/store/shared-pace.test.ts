import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyShare } from '../../../connectors/destination/key-shares.ts'
import { shareAlone } from '../../../connectors/local/key-shares.ts'
import { createGovernor } from '../../../connectors/partner/governor.ts'
import type { Governor } from '../../../connectors/partner/governor.ts'
import { createSharedPace, takeSlots } from '../../../connectors/store/shared-pace.ts'
import type { SharedPace } from '../../../connectors/store/shared-pace.ts'
import { DatabaseError } from '../../../errors.ts'
import { askAll, createServer, tooMany } from '../partner/limited-servers.ts'

const NOW = 1_000_000

describe('slots of a key', () => {
  /** What is left of a pace that nobody may pass: what was taken and not used counts as used. */
  it('are never more than the ceiling, whoever takes how many, dies with them, or has another clock', () => {
    const order = fc.record({
      process: fc.constantFrom('a', 'b', 'c'),
      waiting: fc.integer({ min: 1, max: 9 }),
      laterMs: fc.nat(400),
    })
    const clocks = fc.record({ a: fc.nat(60_000), b: fc.nat(60_000), c: fc.nat(60_000) })
    fc.assert(
      fc.property(fc.array(order, { maxLength: 60 }), clocks, (orders, clocksMs) => {
        const limits = { requestsPerSecond: 20 }
        let kept: SharedPace | undefined
        let nowMs = NOW
        const taken: number[] = []
        for (const { process, waiting, laterMs } of orders) {
          nowMs += laterMs
          const ownMs = nowMs + clocksMs[process] - 30_000
          const slots = takeSlots(kept, nowMs, { limits, process, outcomes: [], waiting, ownMs })
          kept = JSON.parse(JSON.stringify(slots.kept)) as SharedPace
          taken.push(...slots.slotsMs)
        }
        for (const [index, fromMs] of taken.entries())
          for (const [more, untilMs] of taken.slice(index).entries())
            expect(more).toBeLessThanOrEqual(((untilMs - fromMs) * 20) / 1000 + 2)
      }),
    )
  })

  it('come after a refusal when the API has said, for all, also where clocks differ by half a minute', () => {
    const limits = { requestsPerSecond: 100 }
    const told = (process: string, ownMs: number) => ({ limits, process, waiting: 1, ownMs })
    const refused = takeSlots(undefined, NOW, {
      ...told('a', 30_000),
      outcomes: [
        { sentMs: 29_950, decidedMs: 29_940, refused: { atMs: 29_990, retryAfterMs: 400 } },
      ],
    })
    expect(refused.slotsMs).toEqual([NOW + 390])
    // One request finds out whether the API answers again; the others wait for it, not for ever.
    const asked = { ...told('b', 5), outcomes: [] }
    expect(takeSlots(refused.kept, NOW + 395, asked).slotsMs).toEqual([])
    expect(takeSlots(refused.kept, NOW + 1_400, asked).slotsMs).toEqual([NOW + 1_400])
    const answered = takeSlots(refused.kept, NOW + 420, {
      ...told('a', 420),
      outcomes: [{ sentMs: 390, decidedMs: 0 }],
    })
    expect(takeSlots(answered.kept, NOW + 421, asked).slotsMs).not.toEqual([])
    // A minute is more than anybody waits for without news.
    const long = takeSlots(undefined, NOW, {
      ...told('a', 0),
      outcomes: [{ sentMs: -9, decidedMs: -9, refused: { atMs: -1, retryAfterMs: 60_000 } }],
    })
    expect(long.slotsMs).toEqual([])
  })

  it('are counted for those who are there: one that is gone is not, after some seconds', () => {
    const order = { limits: { requestsPerSecond: 10 }, outcomes: [], waiting: 1, ownMs: 0 }
    const first = takeSlots(undefined, NOW, { ...order, process: 'a' })
    const second = takeSlots(first.kept, NOW + 1_000, { ...order, process: 'b' })
    expect(Object.keys(second.kept.seen)).toEqual(['a', 'b'])
    const third = takeSlots(second.kept, NOW + 5_500, { ...order, process: 'b' })
    expect(Object.keys(third.kept.seen)).toEqual(['b'])
  })

  it('are no thousands where there is no limit, and as many as the pace has where it is slower', () => {
    const taken = (perSecond: number): number => {
      const limits = { requestsPerSecond: Infinity, knownPerSecond: perSecond }
      const order = { limits, process: 'a', outcomes: [], waiting: 1, ownMs: 0 }
      return takeSlots(undefined, NOW, order).slotsMs.length
    }
    expect([1e6, 1e5, 8000].map(taken)).toEqual([250, 250, 200])
  })

  it('come at once where the shared clock was set back by a day, at the pace that was found', () => {
    const limits = { requestsPerSecond: Infinity }
    const order = { limits, process: 'a', outcomes: [], waiting: 1, ownMs: 0 }
    const before = takeSlots(undefined, 90_000_000, order)
    before.kept.pace.base = { perSecond: 3, isFound: true }
    const after = takeSlots(before.kept, 90_000_000 - 86_400_000, order)
    expect(after.slotsMs).toEqual([90_000_000 - 86_400_000])
    expect(after.kept.pace.perSecond).toBe(3)
  })
})

it('a pace that had grown begins where it was found, after a silence, but not before a pause is over', () => {
  const limits = { requestsPerSecond: Infinity }
  const order = { limits, process: 'a', outcomes: [], waiting: 1, ownMs: 0 }
  const { kept } = takeSlots(undefined, NOW, order)
  const grown = { ...kept, pace: { ...kept.pace, base: { perSecond: 9, isFound: true } } }
  expect(takeSlots(grown, NOW + 59_000, order).kept.pace.perSecond).toBe(100)
  expect(takeSlots(grown, NOW + 61_000, order).kept.pace.perSecond).toBe(9)
  const paused = { ...kept, pace: { ...kept.pace, pausedUntilMs: NOW + 90_000 } }
  expect(takeSlots(paused, NOW + 80_000, order).slotsMs).toEqual([])
})

describe('processes that share a key', () => {
  /** Time is the test's own. */
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
  afterEach(() => void vi.useRealTimers())

  const LIMITS = { concurrency: 16, requestsPerSecond: Infinity }
  const governorOn = (share: KeyShare, limits = LIMITS): Governor =>
    createGovernor(limits, createSharedPace(share, limits))

  it('find a limit together: few are refused, most of it is used, and all know the same', async () => {
    const share = shareAlone()
    const server = createServer({ perSecond: 30, latencyMs: 20 })
    const governors = Array.from({ length: 4 }, () => governorOn(share))
    const asked = await Promise.all(governors.map(one => askAll(one, server, 400)))
    expect(asked).toEqual([400, 400, 400, 400])
    expect(server.refused / server.starts.length).toBeLessThan(0.035)
    const seconds = (server.starts.at(-1)! - server.starts[0]!) / 1000
    expect(1600 / seconds).toBeGreaterThan(22)
    for (const governor of governors) expect(governor.foundPerSecond).toBeGreaterThan(20)
  })

  it('would be refused far more often, each by itself', async () => {
    const server = createServer({ perSecond: 30, latencyMs: 20 })
    const alone = Array.from({ length: 4 }, () => governorOn(shareAlone()))
    await Promise.all(alone.map(one => askAll(one, server, 60)))
    expect(server.refused / server.starts.length).toBeGreaterThan(0.05)
  })

  it('stay below one ceiling together', async () => {
    const share = shareAlone()
    const server = createServer({ latencyMs: 5 })
    const limits = { concurrency: 8, requestsPerSecond: 20 }
    const governors = Array.from({ length: 3 }, () => governorOn(share, limits))
    await Promise.all(governors.map(one => askAll(one, server, 70)))
    for (const startMs of server.starts) {
      const within = server.starts.filter(ms => ms >= startMs && ms < startMs + 1000).length
      expect(within).toBeLessThanOrEqual(20 + 3)
    }
  })

  it('all slow down within a second where one of them is refused', async () => {
    const share = shareAlone()
    const [one, other] = [governorOn(share), governorOn(share)]
    const server = createServer({ latencyMs: 5 })
    await Promise.all([askAll(one, server, 100), askAll(other, server, 100)])
    await one.run(() => Promise.reject(tooMany(5_000))).catch(() => {})
    const refusedAtMs = Date.now()
    await askAll(other, server, 20)
    const late = server.starts.filter(ms => ms > refusedAtMs + 1_000)
    // At most a few that had their slots were sent before the news came.
    expect(late.length).toBeGreaterThanOrEqual(20 - 3)
    expect(Math.min(...late) - refusedAtMs).toBeGreaterThanOrEqual(5_000)
    expect(server.starts.at(-1)! - refusedAtMs).toBeLessThan(7_000)
  })

  it('ask what is kept far less often than they send', async () => {
    const alone = shareAlone()
    let changes = 0
    const share: KeyShare = { change: change => (changes++, alone.change(change)) }
    const server = createServer({ latencyMs: 5 })
    expect(await askAll(governorOn(share), server, 2_000)).toBe(2_000)
    expect(changes).toBeLessThan(500)
  })

  describe('where what is kept cannot be reached', () => {
    function scene(reason: Error) {
      const alone = shareAlone()
      const share = { isThere: false }
      const governor = governorOn({
        change: change => (share.isThere ? alone.change(change) : Promise.reject(reason)),
      })
      let asked = 0
      const answer = governor.run(async () => void asked++).then(() => 'sent', String)
      return { share, answer, asked: () => asked }
    }
    const away = new DatabaseError('DATABASE_UNREACHABLE', 'away')

    it('send nothing for some seconds, and go on afterwards', async () => {
      const { share, answer, asked } = scene(away)
      await vi.advanceTimersByTimeAsync(4_000)
      expect(asked()).toBe(0)
      share.isThere = true
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await answer).toBe('sent')
    })

    it('say so where it lasts, and send nothing', async () => {
      const { answer, asked } = scene(away)
      await vi.advanceTimersByTimeAsync(7_000)
      expect(await answer).toContain('away')
      expect(asked()).toBe(0)
    })

    it('do not wait where it is no matter of the database', async () => {
      const { answer } = scene(new TypeError('a fault of ours'))
      await vi.advanceTimersByTimeAsync(1)
      expect(await answer).toContain('a fault of ours')
    })
  })
})
