import { setTimeout as pause } from 'node:timers/promises'
import { TillageError } from '../../errors.ts'

export interface Retries {
  signal: AbortSignal
  /** What another attempt may change. */
  isPassing(error: TillageError): boolean
  /**
   * The pause before each further attempt, unless the API names one; as many attempts as pauses.
   */
  pausesMs: readonly number[]
  /** A longer pause that the API asks for is not waited for. */
  longestPauseMs: number
}

/**
 * Asks again what failed in passing, and throws the last failure. For commands, which run outside
 * of workflows; the retries of those are in `workflows/proxies.ts`.
 */
export async function withRetries<Answer>(
  action: () => Promise<Answer>,
  { signal, isPassing, pausesMs, longestPauseMs }: Retries,
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof TillageError) || !isPassing(error)) throw error
      const ownPauseMs = pausesMs[attempt]
      if (ownPauseMs === undefined) throw error
      const pauseMs = error.retryAfterMs ?? ownPauseMs
      if (pauseMs > longestPauseMs) throw error
      await pause(pauseMs, undefined, { signal })
    }
  }
}
