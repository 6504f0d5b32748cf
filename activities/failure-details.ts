import type { Recovery } from '../errors.ts'

/** What workflows and commands read of a failure, besides its type (our code) and message. */
export interface FailureDetails {
  recovery: Recovery
  remedy: string | undefined
  /** The API was waited for in vain, so this run asks nothing more of this store. */
  endsRun?: true
}
