import { describe, expect, it } from 'vitest'
import { withRetries } from '../../../connectors/partner/with-retries.ts'
import type { Retries } from '../../../connectors/partner/with-retries.ts'
import { PartnerError } from '../../../errors.ts'

const retries = (more: Partial<Retries> = {}): Retries => ({
  signal: new AbortController().signal,
  isPassing: ({ recovery }) => recovery === 'retry',
  pausesMs: [1, 1, 1],
  longestPauseMs: 10,
  ...more,
})

/** Fails so many times, then answers with the number of the attempt. */
function failing(times: number, error: Error): () => Promise<number> {
  let attempt = 0
  return async () => {
    if (attempt++ < times) throw error
    return attempt
  }
}

const busy = (retryAfterMs?: number): PartnerError =>
  new PartnerError(
    'PARTNER_UNAVAILABLE',
    'gone',
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )

describe('withRetries', () => {
  it('asks again what failed in passing, once for each pause, and throws the last failure', async () => {
    expect(await withRetries(failing(3, busy()), retries())).toBe(4)
    await expect(withRetries(failing(4, busy()), retries())).rejects.toThrow('gone')
  })

  it('asks once where another attempt would change nothing', async () => {
    const refused = new PartnerError('PARTNER_PERMISSION', 'not yours')
    for (const error of [refused, new Error('a defect of ours')]) {
      const once = failing(1, error)
      await expect(withRetries(once, retries())).rejects.toBe(error)
      expect(await once()).toBe(2)
    }
  })

  it('waits as long as the API asks for, and not at all where that is too long', async () => {
    const pausesMs = [60_000]
    expect(await withRetries(failing(1, busy(1)), retries({ pausesMs }))).toBe(2)
    await expect(withRetries(failing(1, busy(11)), retries())).rejects.toThrow('gone')
  })

  it('ends a pause when it is stopped', async () => {
    const stop = new AbortController()
    const waiting = withRetries(
      failing(1, busy()),
      retries({ signal: stop.signal, pausesMs: [60_000], longestPauseMs: 60_000 }),
    )
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })
})
