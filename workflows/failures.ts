import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
} from '@temporalio/workflow'
import type { FailureDetails } from '../activities/boundary.ts'
import type { Failure } from './results.ts'

/**
 * The code, sentence and remedy of what went wrong, from inside Temporal's wrappers; only strings
 * survive the way.
 */
export function explainFailure(
  error: unknown,
): Failure & { recovery: FailureDetails['recovery'] | undefined } {
  let inner = error
  while (
    (inner instanceof ActivityFailure || inner instanceof ChildWorkflowFailure) &&
    inner.cause !== undefined
  )
    inner = inner.cause
  if (inner instanceof CancelledFailure)
    return {
      code: 'INTERRUPTED',
      message: 'the reading was stopped by somebody else',
      remedy: undefined,
      recovery: undefined,
    }
  const details =
    inner instanceof ApplicationFailure
      ? (inner.details?.[0] as FailureDetails | undefined)
      : undefined
  return {
    code: inner instanceof ApplicationFailure ? (inner.type ?? 'UNKNOWN') : 'UNKNOWN',
    message: inner instanceof Error ? inner.message : String(inner),
    remedy: details?.remedy,
    recovery: details?.recovery,
  }
}
