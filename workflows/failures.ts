import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TimeoutFailure,
} from '@temporalio/workflow'
import type { FailureDetails } from '../activities/failure-details.ts'
import type { Recovery } from '../errors.ts'
import type { Failure, StoreResult } from './results.ts'
import { timedOut } from './timed-out.ts'

interface ExplainedFailure extends Failure {
  recovery: Recovery | undefined
  wasWaitedFor?: FailureDetails['wasWaitedFor'] | undefined
}

/**
 * The code, sentence and remedy of what went wrong, from inside Temporal's wrappers; only strings
 * survive the way.
 */
export function explainFailure(error: unknown): ExplainedFailure {
  const inner = unwrap(error)
  if (inner instanceof CancelledFailure)
    return {
      code: 'INTERRUPTED',
      message: 'the work was stopped by somebody else',
      remedy: undefined,
      recovery: undefined,
    }
  if (inner instanceof TimeoutFailure)
    return { ...timedOut(inner.timeoutType), recovery: undefined }
  const message = inner instanceof Error ? inner.message : String(inner)
  if (!(inner instanceof ApplicationFailure))
    return { code: 'UNKNOWN', message, remedy: undefined, recovery: undefined }
  const details = inner.details?.[0] as FailureDetails | undefined
  return {
    code: inner.type ?? 'UNKNOWN',
    message,
    remedy: details?.remedy,
    recovery: details?.recovery,
    wasWaitedFor: details?.wasWaitedFor,
  }
}

function unwrap(error: unknown): unknown {
  const isWrapper = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure
  return isWrapper && error.cause !== undefined ? unwrap(error.cause) : error
}

/** What a sync of a store had done although it failed (`sync-store.ts`). */
export function resultOf(error: unknown): StoreResult | undefined {
  const inner = unwrap(error)
  return inner instanceof ApplicationFailure
    ? (inner.details?.[1] as StoreResult | undefined)
    : undefined
}

/** The same without the recovery: what a result carries. */
export function failureOf(error: unknown): Failure {
  const { code, message, remedy } = explainFailure(error)
  return { code, message, remedy }
}

/** The end of a workflow that nobody should try again, as `explainFailure` reads it. */
export const toApplicationFailure = (
  { code, message, remedy }: Failure,
  recovery: Recovery = 'fatal',
  ...more: unknown[]
): ApplicationFailure =>
  ApplicationFailure.create({
    type: code,
    message,
    nonRetryable: true,
    details: [{ recovery, remedy }, ...more],
  })
