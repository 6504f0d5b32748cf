import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PartnerError } from '../../../errors.ts'
import { governorAlone } from '../../helpers/governor.ts'

/** Minutes of the test's own time pass in milliseconds. */
beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

const LATENCY_MS = 50
const SLOTS = 8
const later = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Chance that is the same in every run. */
function chanceFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

interface Api {
  refusedShare: number
  retryAfterMs?: number
  status?: number
  /** A limit behind the refusals by chance. */
  bucketPerSecond?: number
}

/** Reads `pages` from an API that refuses by chance; each is asked for again a little later. */
async function read(pages: number, api: Api, seed: number) {
  const { refusedShare, bucketPerSecond, ...refusal } = api
  const chance = chanceFrom(seed * 7919)
  const governor = governorAlone({ concurrency: SLOTS, requestsPerSecond: 100_000 })
  const startedMs = Date.now()
  const isLetThrough = createBucket(bucketPerSecond ?? Infinity)
  let refused = 0
  const answer = async (): Promise<void> => {
    await later(LATENCY_MS)
    if (chance() >= refusedShare && isLetThrough()) return
    refused++
    throw refusalOf(refusal)
  }
  const readPage = async (): Promise<void> => {
    while (!(await governor.run(answer).then(() => true, passing))) await later(250)
  }
  let done = false
  const all = Promise.all(Array.from({ length: pages }, readPage)).then(() => (done = true))
  while (!done) await vi.advanceTimersByTimeAsync(100)
  await all
  return { seconds: (Date.now() - startedMs) / 1000, refused, governor }
}

const passing = (error: unknown): boolean => {
  if (error instanceof PartnerError) return false
  throw error
}

function refusalOf({ status = 429, retryAfterMs }: Omit<Api, 'refusedShare'>): PartnerError {
  const named = retryAfterMs === undefined ? {} : { retryAfterMs }
  return status === 429
    ? new PartnerError('PARTNER_RATE_LIMIT', 'answered 429', named)
    : new PartnerError('PARTNER_UNAVAILABLE', 'answered 503', {
        ...named,
        refused: { status, shape: 'no body' },
      })
}

function createBucket(perSecond: number): () => boolean {
  let tokens = perSecond
  let filledMs = Date.now()
  return () => {
    tokens = Math.min(perSecond, tokens + ((Date.now() - filledMs) / 1000) * perSecond)
    filledMs = Date.now()
    if (tokens < 1) return false
    tokens--
    return true
  }
}

/** With all slots in use, and nothing asked while the API has said so. */
const leastSeconds = (pages: number, refused: number, retryAfterMs = 0): number =>
  ((pages + refused) * LATENCY_MS) / 1000 / SLOTS + (refused * retryAfterMs) / 1000

describe('an API without a limit that refuses by chance', () => {
  it.each([
    { refusedShare: 0.01, kept: 0.15 },
    { refusedShare: 0.03, kept: 0.4 },
    { refusedShare: 0.03, kept: 0.4, status: 503 },
    { refusedShare: 0.1, kept: 0.35 },
    { refusedShare: 0.01, kept: 0.2, retryAfterMs: 1000 },
    { refusedShare: 0.03, kept: 0.5, retryAfterMs: 1000 },
    { refusedShare: 0.1, kept: 0.8, retryAfterMs: 1000 },
    { refusedShare: 0.1, kept: 0.8, retryAfterMs: 1000, status: 503 },
  ])(
    'is not read at a crawl: where $refusedShare are refused, $kept of its speed are kept at the least',
    async ({ kept, ...api }) => {
      for (const seed of [1, 2, 3]) {
        const { seconds, refused } = await read(1500, api, seed)
        expect(leastSeconds(1500, refused, api.retryAfterMs) / seconds).toBeGreaterThan(kept)
      }
    },
  )

  it('needs seconds and not minutes for the few requests of a night', async () => {
    for (let seed = 1; seed <= 10; seed++)
      expect((await read(40, { refusedShare: 0.07 }, seed)).seconds).toBeLessThan(10)
  })
})

describe('a limit of twenty a second', () => {
  it.each([
    { refusedShare: 0, most: 0.02 },
    { refusedShare: 0.01, most: 0.03 },
    { refusedShare: 0.03, most: 0.09 },
    { refusedShare: 0.1, most: 0.2 },
  ])(
    'is not taken for chance, where $refusedShare are refused by chance as well: $most are refused at the most',
    async ({ refusedShare, most }) => {
      const { seconds, refused } = await read(1000, { refusedShare, bucketPerSecond: 20 }, 1)
      expect(refused / (1000 + refused)).toBeLessThan(most)
      expect(1000 / seconds).toBeGreaterThan(8)
      expect(1000 / seconds).toBeLessThan(21)
    },
  )
})
