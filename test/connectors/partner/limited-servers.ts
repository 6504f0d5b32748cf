import { vi } from 'vitest'
import type { Governor } from '../../../connectors/partner/governor.ts'
import { PartnerError } from '../../../errors.ts'

export const later = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
export const tooMany = (retryAfterMs?: number): PartnerError =>
  new PartnerError(
    'PARTNER_RATE_LIMIT',
    'answered 429',
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )

/** A server that answers after `latencyMs` and refuses what comes faster than it likes. */
export function createServer(
  options: { perSecond?: number; latencyMs?: number; retryAfterMs?: number } = {},
) {
  const latencyMs = options.latencyMs ?? 40
  const server = {
    perSecond: options.perSecond ?? Infinity,
    starts: [] as number[],
    inFlight: 0,
    mostInFlight: 0,
    refused: 0,
    async answer(): Promise<void> {
      const nowMs = Date.now()
      const recent = server.starts.filter(ms => ms > nowMs - 1000).length
      server.starts.push(nowMs)
      server.mostInFlight = Math.max(server.mostInFlight, ++server.inFlight)
      await later(latencyMs)
      server.inFlight--
      if (recent >= server.perSecond) {
        server.refused++
        throw tooMany(options.retryAfterMs)
      }
    },
  }
  return server
}

/** A bucket of one second's requests, of a limit that moves; what is refused costs nothing. */
export function createBucket(moving: readonly { fromSecond: number; perSecond: number }[]) {
  const startedMs = Date.now()
  const answeredAt: number[] = []
  let [tokens, filledMs, limit] = [0, 0, 0]
  const bucket = {
    refused: 0,
    refusedAtFirst: 0,
    answeredIn: (from: number, to: number): number =>
      answeredAt.filter(ms => ms >= from * 1000 && ms < to * 1000).length,
    async answer(): Promise<void> {
      const nowMs = Date.now() - startedMs
      const { perSecond } = moving.findLast(({ fromSecond }) => fromSecond * 1000 <= nowMs)!
      if (perSecond !== limit) tokens = perSecond
      limit = perSecond
      tokens = Math.min(limit, tokens + ((nowMs - filledMs) / 1000) * limit)
      filledMs = nowMs
      const isRefused = tokens < 1
      if (isRefused && nowMs < 1000) bucket.refusedAtFirst++
      else if (isRefused) bucket.refused++
      else {
        tokens--
        answeredAt.push(nowMs)
      }
      await later(10)
      if (isRefused) throw tooMany()
    },
  }
  return bucket
}

/**
 * Asks `count` times, each again after a refusal, as the owner of retries does; answers how many
 * were answered.
 */
export async function askAll(
  governor: Governor,
  server: { answer: () => Promise<void> },
  count: number,
): Promise<number> {
  let answered = 0
  const askOnce = async (): Promise<void> => {
    for (;;) {
      try {
        await governor.run(server.answer)
        answered++
        return
      } catch (error) {
        if (!(error instanceof PartnerError) || error.code !== 'PARTNER_RATE_LIMIT') throw error
        await later(error.retryAfterMs ?? 1000)
      }
    }
  }
  const all = Promise.all(Array.from({ length: count }, askOnce))
  let done = false
  void all.then(() => (done = true))
  for (let second = 0; second < 3600 && !done; second++) await vi.advanceTimersByTimeAsync(1000)
  await all
  return answered
}
