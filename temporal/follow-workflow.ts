import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  WorkflowFailedError,
} from '@temporalio/client'
import type { WorkflowHandle } from '@temporalio/client'
import type { Failure } from '../workflows/results.ts'
import { startFactsOf } from '../workflows/start-facts.ts'
import type { RunningWorker } from './session.ts'
import { stopOnSignal } from './stop-workflow.ts'
import { takeOver } from './take-over.ts'
import { watchWork } from './watch-work.ts'

/** A workflow by its name and its id, with its one argument. */
export interface WorkflowOrder {
  type: string
  workflowId: string
  input: object
}

/** Starts a workflow, or joins it where it is running for this database. */
export async function startWorkflow(
  worker: RunningWorker,
  order: WorkflowOrder,
): Promise<WorkflowHandle> {
  await takeOver(worker, order.workflowId)
  return worker.client.workflow.start(order.type, startOptions(worker, order))
}

/** What each start of ours says. */
export const startOptions = (
  { taskQueue, hasSearchAttributes }: Pick<RunningWorker, 'taskQueue' | 'hasSearchAttributes'>,
  { workflowId, input }: Pick<WorkflowOrder, 'workflowId' | 'input'>,
) =>
  ({
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowExecutionTimeout: LONGEST_WORK,
    ...startFactsOf(workflowId, hasSearchAttributes),
    args: [input],
  }) as const

/** Nothing is open for ever: a plan may wait for a price of next year. */
const LONGEST_WORK = '400 days'
/** So often is work begun anew that others stop again and again. */
const MOST_STARTS = 5

/**
 * Starts a workflow, or joins it where it is running, and waits for its result; Ctrl-C cancels it
 * in order. Work that was joined and that somebody else stopped is begun anew: a command that ended
 * at once leaves such work behind, and here it is still wanted.
 */
export async function awaitWorkflow<Result>(
  worker: RunningWorker,
  order: WorkflowOrder,
  signal: AbortSignal,
): Promise<Result> {
  for (let starts = 1; ; starts++)
    try {
      return await awaitOneRun<Result>(worker, order, signal)
    } catch (error) {
      if (signal.aborted || starts === MOST_STARTS || !wasStopped(error)) throw error
    }
}

/** The same, where work that somebody stopped is not begun anew. */
export async function awaitOneRun<Result>(
  worker: RunningWorker,
  order: WorkflowOrder,
  signal: AbortSignal,
): Promise<Result> {
  const stopping = stopOnSignal(worker.client, order.workflowId, signal)
  const stopWatching = watchWork({ ...worker, workflowId: order.workflowId })
  try {
    const handle = await startWorkflow(worker, order)
    stopping.repeat()
    return (await Promise.race([
      handle.result(),
      worker.stopped.then(() => Promise.reject(new Error('the worker stopped'))),
    ])) as Result
  } finally {
    stopWatching()
    stopping.close()
  }
}

const wasCancelled = (error: unknown): boolean => unwrap(error) instanceof CancelledFailure

/** In order, or by the server, where no worker was left to end it in order. */
export const wasStopped = (error: unknown): boolean =>
  wasCancelled(error) || unwrap(error) instanceof TerminatedFailure

/** The same, with a failure as an answer. */
export async function followWorkflow<Result>(
  worker: RunningWorker,
  order: WorkflowOrder,
  signal: AbortSignal,
): Promise<Result | { failure: Failure }> {
  try {
    return await awaitWorkflow<Result>(worker, order, signal)
  } catch (error) {
    if (error instanceof WorkflowFailedError) return { failure: explainWorkflow(error).failure }
    throw error
  }
}

/** Why a workflow failed, from inside Temporal's wrappers, and what it says besides. */
export function explainWorkflow(error: unknown): { failure: Failure; details: unknown[] } {
  const inner = unwrap(error)
  const { type, details } = inner instanceof ApplicationFailure ? inner : {}
  const { remedy } = (details?.[0] ?? {}) as { remedy?: string }
  return {
    failure: {
      code: type ?? 'UNKNOWN',
      message: inner instanceof Error ? inner.message : String(inner),
      remedy,
    },
    details: details ?? [],
  }
}

const WRAPPERS = [WorkflowFailedError, ActivityFailure, ChildWorkflowFailure]

function unwrap(error: unknown): unknown {
  const wrapper = WRAPPERS.some(wrapping => error instanceof wrapping)
    ? (error as Error)
    : undefined
  return wrapper?.cause === undefined ? error : unwrap(wrapper.cause)
}
