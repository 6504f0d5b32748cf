import { ApplicationFailure, heartbeat } from '@temporalio/activity'
import { TillageError } from '../errors.ts'
import type { Recovery } from '../errors.ts'
import { withoutSecrets } from '../secrets.ts'

/** What workflows and commands read of a failure, besides its type (our code) and message. */
export interface FailureDetails {
  recovery: Recovery
  remedy: string | undefined
}

/** Well inside the heartbeat timeouts of `workflows/proxies.ts`. */
const HEARTBEAT_MS = 3_000

/**
 * Cancellation arrives with a heartbeat: of what writes to the API, sooner than with the others.
 */
export const HEARTBEAT_OF_WRITES_MS = 500

/**
 * What every activity does at its boundary. It beats, so that a killed worker is noticed within
 * seconds whatever it was doing, and so that cancellation arrives. Our errors become Temporal
 * failures: the code is the type, fatal and parked ones are not retried, and a pause that the API
 * asked for is the next delay. Others pass unchanged (cancellation must).
 */
export function atBoundary<Arguments extends unknown[], Answer>(
  activity: (...args: Arguments) => Promise<Answer>,
  heartbeatMs = HEARTBEAT_MS,
): (...args: Arguments) => Promise<Answer> {
  return async (...args) => {
    const beat = setInterval(() => heartbeat(), heartbeatMs)
    try {
      return await activity(...args)
    } catch (error) {
      throw error instanceof TillageError ? asFailure(error) : withoutKnownKeys(error)
    } finally {
      clearInterval(beat)
    }
  }
}

/** What we did not foresee goes into the history as it is, but for keys. */
function withoutKnownKeys(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  error.message = withoutSecrets(error.message)
  if (error.stack !== undefined) error.stack = withoutSecrets(error.stack)
  return error
}

function asFailure(error: TillageError): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: error.recovery !== 'retry',
    details: [{ recovery: error.recovery, remedy: error.remedy } satisfies FailureDetails],
    ...(error.retryAfterMs === undefined
      ? {}
      : { nextRetryDelay: Math.max(100, error.retryAfterMs) }),
  })
}
