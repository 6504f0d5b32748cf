import type { Recovery } from '../errors.ts'

/** What workflows and commands read of a failure, besides its type (our code) and message. */
export interface FailureDetails {
  recovery: Recovery
  remedy: string | undefined
  /** The API was waited for as long as the patience of the process lasts, in vain. */
  wasWaitedFor?: true
}
