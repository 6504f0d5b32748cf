import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Governor } from '../../../connectors/partner/governor.ts'
import { PartnerError } from '../../../errors.ts'
import { governorAlone } from '../../helpers/governor.ts'
import { askAll, createBucket, createServer, later, tooMany } from './limited-servers.ts'

/**
 * Time is the test's own: minutes of it pass in milliseconds, and no test depends on how busy the
 * machine is.
 */
beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

describe('concurrency', () => {
  it('starts at half of the ceiling, grows while all goes well, and never passes the ceiling', async () => {
    const server = createServer()
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    expect(governor.allowance.concurrency).toBe(4)
    expect(await askAll(governor, server, 300)).toBe(300)
    expect(governor.allowance.concurrency).toBe(8)
    expect(server.mostInFlight).toBe(8)
  })

  it('grows with each answer before anything was refused, and carefully afterwards', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    expect(await askAll(governor, createServer(), 4)).toBe(4)
    expect(governor.allowance.concurrency).toBe(8)
    for (const concurrency of [8, 4]) {
      const refused = governor.run(() => Promise.reject(tooMany())).catch(() => {})
      await vi.advanceTimersByTimeAsync(10_000)
      await refused
      expect(governor.allowance.concurrency).toBe(concurrency)
    }
    expect(await askAll(governor, createServer(), 4)).toBe(4)
    expect(governor.allowance.concurrency).toBe(4)
  })

  it('goes on where the clock of the machine is set back or forward', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: 10 })
    expect(await askAll(governor, createServer(), 5)).toBe(5)
    for (const hours of [-2, 3]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000)
      let answered = 0
      const asked = Array.from({ length: 5 }, () => governor.run(async () => void answered++))
      await vi.advanceTimersByTimeAsync(1_000)
      expect(answered).toBe(5)
      await Promise.all(asked)
    }
  })

  it('of 1 stays 1', async () => {
    const server = createServer()
    expect(
      await askAll(governorAlone({ concurrency: 1, requestsPerSecond: Infinity }), server, 20),
    ).toBe(20)
    expect(server.mostInFlight).toBe(1)
  })

  it('is halved once for all the refusals that were on their way together', async () => {
    const governor = governorAlone({ concurrency: 16, requestsPerSecond: Infinity })
    const refuseTogether = async (): Promise<void> => {
      const burst = Promise.allSettled(
        Array.from({ length: 8 }, () =>
          governor.run(() => later(40).then(() => Promise.reject(tooMany()))),
        ),
      )
      await vi.advanceTimersByTimeAsync(60)
      expect(governor.allowance.concurrency).toBe(concurrency)
      await vi.advanceTimersByTimeAsync(60_000)
      expect((await burst).every(({ status }) => status === 'rejected')).toBe(true)
    }
    let concurrency = 8
    await refuseTogether()
    await askAll(governor, createServer(), 16)
    concurrency = governor.allowance.concurrency / 2
    await refuseTogether()
  })

  it.each([
    [Infinity, 50],
    [1, 0.5],
  ])(
    'with a ceiling of %d a second is one at once, and at most %d a second, after ten refusals, and comes back when the API recovers',
    async (ceiling, pace) => {
      const governor = governorAlone({ concurrency: 8, requestsPerSecond: ceiling })
      for (let count = 0; count < 10; count++) {
        const refused = governor.run(() => Promise.reject(tooMany())).catch(() => {})
        await vi.advanceTimersByTimeAsync(10_000)
        await refused
      }
      expect(governor.allowance).toMatchObject({ concurrency: 1, requestsPerSecond: pace })
      expect(await askAll(governor, createServer(), 400)).toBe(400)
      expect(governor.allowance.concurrency).toBe(8)
      expect(governor.allowance.requestsPerSecond).toBeGreaterThanOrEqual(Math.min(ceiling, 20))
    },
  )
})

describe('pace', () => {
  it('stays under the configured requests per second', async () => {
    const server = createServer({ latencyMs: 5 })
    expect(
      await askAll(governorAlone({ concurrency: 8, requestsPerSecond: 20 }), server, 200),
    ).toBe(200)
    for (const [index, startMs] of server.starts.entries()) {
      const within = server.starts.filter(ms => ms >= startMs && ms < startMs + 1000).length
      expect(within, `in the second after request ${index}`).toBeLessThanOrEqual(20 + 3)
    }
  })

  it('finds a hidden rate limit: no request is lost, few are refused, and most of the limit is used', async () => {
    const server = createServer({ perSecond: 30, latencyMs: 20 })
    expect(
      await askAll(governorAlone({ concurrency: 32, requestsPerSecond: Infinity }), server, 1500),
    ).toBe(1500)
    const seconds = (server.starts.at(-1)! - server.starts[0]!) / 1000
    expect(server.refused / server.starts.length).toBeLessThan(0.02)
    expect(1500 / seconds).toBeGreaterThan(24)
  })

  it('follows a limit that rises and falls: under 2 % are refused, and nearly all of it is used', async () => {
    const moving = [
      { fromSecond: 0, perSecond: 20 },
      { fromSecond: 20, perSecond: 50 },
      { fromSecond: 40, perSecond: 5 },
    ]
    const bucket = createBucket(moving)
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: 100_000 })
    expect(await askAll(governor, bucket, 1600)).toBe(1600)
    expect(bucket.refusedAtFirst, 'when the first limit was met').toBeLessThanOrEqual(2)
    const refused = bucket.refused + bucket.refusedAtFirst
    expect(refused / (1600 + refused)).toBeLessThan(0.016)
    // What was let through of 400, 1000 and 100; a higher limit has to be found first.
    expect(bucket.answeredIn(0, 20)).toBeGreaterThan(390)
    expect(bucket.answeredIn(20, 40)).toBeGreaterThan(840)
    expect(bucket.answeredIn(30, 40)).toBeGreaterThan(485)
    expect(bucket.answeredIn(40, 60)).toBeGreaterThan(85)
  })

  it('asks once after a refusal, and with the others after its answer', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    await askAll(governor, createServer(), 100)
    await governor.run(() => Promise.reject(tooMany())).catch(() => {})
    let asked = 0
    const answers: (() => void)[] = []
    const all = Array.from({ length: 6 }, () =>
      governor.run(() => {
        asked++
        return new Promise<void>(resolve => answers.push(resolve))
      }),
    )
    await vi.advanceTimersByTimeAsync(600)
    expect(asked).toBe(1)
    answers[0]!()
    await vi.advanceTimersByTimeAsync(600)
    expect(asked).toBe(6)
    for (const answer of answers) answer()
    await Promise.all(all)
  })

  it('does not wait long for an answer that takes long', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    await governor.run(() => Promise.reject(tooMany())).catch(() => {})
    let asked = 0
    const ask = (): Promise<void> => governor.run(() => (asked++, later(60_000)))
    const all = [ask(), ask(), ask()]
    await vi.advanceTimersByTimeAsync(500)
    expect(asked).toBe(1)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(asked).toBeGreaterThan(1)
    await vi.advanceTimersByTimeAsync(120_000)
    await Promise.all(all)
  })

  it('would be refused most of the time without it', async () => {
    const server = createServer({ perSecond: 30, latencyMs: 20 })
    const ungoverned: Governor = {
      run: request => request(),
      foundPerSecond: undefined,
      allowance: { concurrency: Infinity, requestsPerSecond: Infinity, pausedMs: 0 },
    }
    expect(await askAll(ungoverned, server, 300)).toBe(300)
    expect(server.refused / server.starts.length).toBeGreaterThan(0.5)
  })

  it('speeds up again when the limit is lifted', async () => {
    const server = createServer({ perSecond: 10, latencyMs: 20 })
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    await askAll(governor, server, 100)
    server.perSecond = Infinity
    await askAll(governor, server, 1000)
    const lastSecond = server.starts.filter(ms => ms > server.starts.at(-1)! - 1000).length
    expect(lastSecond).toBeGreaterThan(50)
  })
})

describe('a pause', () => {
  it('lasts as long as Retry-After says, for every request of the key', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    const refusedAtMs = Date.now()
    await governor.run(() => Promise.reject(tooMany(3000))).catch(() => {})
    const server = createServer()
    await askAll(governor, server, 20)
    expect(server.starts[0]! - refusedAtMs).toBeGreaterThanOrEqual(3000)
    expect(server.starts[0]! - refusedAtMs).toBeLessThan(3100)
  })

  it('is lengthened by a later refusal, and never shortened', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    const startedAtMs = Date.now()
    const refusals = [1000, 4000, 500].map(ms =>
      governor.run(() => Promise.reject(tooMany(ms))).catch(() => {}),
    )
    await Promise.all(refusals)
    const server = createServer()
    await askAll(governor, server, 1)
    expect(server.starts[0]! - startedAtMs).toBeGreaterThanOrEqual(4000)
  })

  it('that is long is given back with its length, so that a timer waits and not an activity', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    await governor.run(() => Promise.reject(tooMany(90_000))).catch(() => {})
    let asked = false
    const error = await governor
      .run(() => Promise.resolve((asked = true)))
      .catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'PARTNER_RATE_LIMIT', retryAfterMs: 90_000 })
    expect(asked).toBe(false)
    await vi.advanceTimersByTimeAsync(90_000)
    expect(await governor.run(() => Promise.resolve(7))).toBe(7)
  })

  it('follows a 503, and any failure that names one, and no other', async () => {
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    for (const error of [
      new PartnerError('PARTNER_UNAVAILABLE', 'answered 500'),
      new PartnerError('PARTNER_UNREACHABLE', 'dropped'),
      new Error('any'),
    ]) {
      await expect(governor.run(() => Promise.reject(error))).rejects.toBe(error)
    }
    expect(governor.allowance).toEqual({ concurrency: 4, requestsPerSecond: 100, pausedMs: 0 })
    await vi.advanceTimersByTimeAsync(100)
    await governor
      .run(() =>
        Promise.reject(
          new PartnerError('PARTNER_UNAVAILABLE', 'answered 503', { retryAfterMs: 2000 }),
        ),
      )
      .catch(() => {})
    expect(governor.allowance).toMatchObject({ concurrency: 4, pausedMs: 2000 })
    await vi.advanceTimersByTimeAsync(2000)
    await governor
      .run(() =>
        Promise.reject(
          new PartnerError('PARTNER_UNAVAILABLE', 'answered 503', {
            refused: { status: 503, shape: 'no body' },
          }),
        ),
      )
      .catch(() => {})
    expect(governor.allowance).toMatchObject({ concurrency: 2, pausedMs: 300 })
  })
})
