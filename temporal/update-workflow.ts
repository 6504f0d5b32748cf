import { ServiceError, WithStartWorkflowOperation } from '@temporalio/client'
import type { WorkflowUpdateHandle } from '@temporalio/client'
import { ERROR_CODES, TillageError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { explainWorkflow, startOptions, wasCancelled } from './follow-workflow.ts'
import type { WorkflowOrder } from './follow-workflow.ts'
import { asTemporalError } from './server-error.ts'
import type { RunningWorker } from './session.ts'
import { stopOnSignal } from './stop-workflow.ts'
import { takeOver } from './take-over.ts'
import { watchWork } from './watch-work.ts'

/** An update of a workflow, which is started where it does not run. */
export interface UpdateOrder extends WorkflowOrder {
  update: string
  argument?: object
  /** It takes a moment: once it is under way, Ctrl-C does not end it, nor what others do there. */
  isBrief?: boolean
}

/**
 * Sends an update and waits for its answer. What the workflow refuses, or what an activity of it
 * fails with, is thrown as our error. Ctrl-C sends nothing where it came before, and else cancels
 * the workflow, which ends in order after the write that it is at; then the answer may be a partial
 * one.
 */
export async function updateWorkflow<Answer>(
  worker: RunningWorker,
  order: UpdateOrder,
  signal: AbortSignal,
): Promise<Answer> {
  if (signal.aborted) throw writesStopped()
  const { isBrief = false } = order
  const stopping = isBrief ? undefined : stopOnSignal(worker.client, order.workflowId, signal)
  const stopWatching = watchWork({ ...worker, workflowId: order.workflowId })
  try {
    const update = await unlessStopped(worker, startUpdate<Answer>(worker, order))
    // What was told to stop before may have been an earlier run, which waited for an update.
    stopping?.repeat()
    return await unlessStopped(worker, update.result())
  } catch (error) {
    throw signal.aborted && !isBrief ? writesStopped() : asOurs(error)
  } finally {
    stopWatching()
    stopping?.close()
  }
}

async function startUpdate<Answer>(
  worker: RunningWorker,
  order: UpdateOrder,
): Promise<WorkflowUpdateHandle<Answer>> {
  const { type, workflowId, update, argument = {} } = order
  await takeOver(worker, workflowId)
  return worker.client.workflow.startUpdateWithStart(update, {
    args: [argument],
    waitForStage: 'ACCEPTED',
    startWorkflowOperation: new WithStartWorkflowOperation(type, startOptions(worker, order)),
  })
}

/** A worker that has stopped will not bring anything to its end. */
const unlessStopped = <Answer>(
  { stopped }: RunningWorker,
  answer: Promise<Answer>,
): Promise<Answer> =>
  Promise.race([answer, stopped.then(() => Promise.reject(new Error('the worker stopped')))])

/** Ctrl-C between two writes, or somebody else's. */
export const writesStopped = (): TillageError =>
  new TillageError('INTERRUPTED', 'stopped before all of the plan was carried out', {
    remedy:
      'What was sent is written down, and nothing is sent twice. Run the same command again: ' +
      'it goes on with the rest.',
  })

/** What a workflow, an update or the server says, as our error where it is one. */
export function asOurs(error: unknown): unknown {
  if (error instanceof TillageError) return error
  if (error instanceof ServiceError) return asTemporalError(error)
  if (wasCancelled(error)) return writesStopped()
  const { code, message, remedy } = explainWorkflow(error).failure
  if (!(code in ERROR_CODES) || code === 'UNKNOWN') return error
  return new TillageError(code as ErrorCode, message, remedy === undefined ? {} : { remedy })
}
