import {
  ApplicationFailure,
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowUpdateFailedError,
} from '@temporalio/client'
import { ERROR_CODES, TemporalError, TillageError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import type { WorkflowOrder } from './follow-workflow.ts'
import type { RunningWorker } from './session.ts'

/** An update of a workflow, which is started where it does not run. */
export interface UpdateOrder extends WorkflowOrder {
  update: string
  argument: object
}

/**
 * Sends an update and waits for its answer. What the workflow refuses, or what an activity of it
 * fails with, is thrown as our error.
 */
export async function updateWorkflow<Answer>(
  worker: RunningWorker,
  { type, workflowId, input, update, argument }: UpdateOrder,
): Promise<Answer> {
  const { client, taskQueue } = worker
  const start = new WithStartWorkflowOperation(type, {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [input],
  })
  try {
    return (await Promise.race([
      client.workflow.executeUpdateWithStart(update, {
        args: [argument],
        startWorkflowOperation: start,
      }),
      worker.stopped.then(() => Promise.reject(new Error('the worker stopped'))),
    ])) as Answer
  } catch (error) {
    throw asOurs(error)
  }
}

function asOurs(error: unknown): unknown {
  const inner = error instanceof WorkflowUpdateFailedError ? error.cause : error
  if (inner instanceof ApplicationFailure) return ourFailure(inner) ?? error
  if (!(inner instanceof ServiceError)) return error
  const why = isGrpcServiceError(inner.cause) ? inner.cause.details : inner.message
  const what = `the Temporal server did not take the work: ${why}`
  return new TemporalError('TEMPORAL_UNREACHABLE', what, { cause: error })
}

function ourFailure({ type, message, details }: ApplicationFailure): TillageError | undefined {
  if (typeof type !== 'string' || !(type in ERROR_CODES)) return undefined
  const { remedy } = (details?.[0] ?? {}) as { remedy?: string }
  return new TillageError(type as ErrorCode, message, remedy === undefined ? {} : { remedy })
}
