import { setTimeout as delay } from 'node:timers/promises'
import { PartnerError } from '../errors.ts'

/** What an API says that is only busy. */
const BUSY = ['PARTNER_RATE_LIMIT', 'PARTNER_UNAVAILABLE']
const ATTEMPTS = 4
const FIRST_PAUSE_MS = 250
/** A longer pause that the API asks for is not worth a question of `doctor`. */
const LONGEST_PAUSE_MS = 10_000

/**
 * Asks again where the API was busy: a question about how it behaves must not take a moment for an
 * answer. Outside of workflows, whose retries are in `workflows/proxies.ts`.
 */
export async function askPatiently<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof PartnerError) || !BUSY.includes(error.code)) throw error
      if (attempt === ATTEMPTS || signal.aborted) throw error
      const pauseMs = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** attempt
      if (pauseMs > LONGEST_PAUSE_MS) throw error
      await delay(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
