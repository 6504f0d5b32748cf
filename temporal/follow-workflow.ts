import { setTimeout as pause } from 'node:timers/promises'
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client'
import type { Client, WorkflowHandle } from '@temporalio/client'
import type { Failure } from '../workflows/results.ts'
import { startFactsOf } from '../workflows/start-facts.ts'
import { timedOut } from '../workflows/timed-out.ts'
import { askWork } from './open-work.ts'
import type { WorkStanding } from './open-work.ts'
import type { RunningWorker } from './session.ts'
import { takeOver } from './take-over.ts'

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
  if (inner instanceof TimeoutFailure) return { failure: timedOut(inner.timeoutType), details: [] }
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

/** What happened, without Temporal's wrappers, whose own messages say nothing of it. */
export function unwrap(error: unknown): unknown {
  const wrapper = WRAPPERS.some(wrapping => error instanceof wrapping)
    ? (error as Error)
    : undefined
  return wrapper?.cause === undefined ? error : unwrap(wrapper.cause)
}

/** So long may a step of a workflow wait for a worker before somebody is told. */
const UNTAKEN_MS = 10_000
const POLL_EVERY_MS = 2_000

/** What is watched, and who hears of it. */
interface Watched {
  client: Client
  workflowId: string
  say: (line: string) => void
}

/**
 * Says so where nobody takes a workflow's next step, or where the server does not answer, for as
 * long as somebody waits for it. Call the answer to stop.
 */
function watchWork({ client, workflowId, say }: Watched): () => void {
  let isPolling = false
  let lastSaid = ''
  const poll = async (): Promise<void> => {
    const line = await describeWaiting(client, workflowId)
    if (line !== '' && line !== lastSaid) say(line)
    lastSaid = line
  }
  const timer = setInterval(() => {
    if (isPolling) return
    isPolling = true
    void poll().finally(() => (isPolling = false))
  }, POLL_EVERY_MS)
  return () => clearInterval(timer)
}

async function describeWaiting(client: Client, workflowId: string): Promise<string> {
  try {
    const open = await client.withDeadline(Date.now() + UNTAKEN_MS, () =>
      askWork(client, workflowId),
    )
    return isUntaken(open, UNTAKEN_MS)
      ? `${workflowId} waits: for ${UNTAKEN_MS / 1_000} s no worker has taken its next step ` +
          `(task queue ${open.taskQueue}). Is tillage up, or tillage worker, at work elsewhere? ` +
          'Ctrl-C ends the waiting.'
      : ''
  } catch {
    return `${workflowId} waits: Temporal's server does not answer. Ctrl-C ends the waiting.`
  }
}

/** Nobody has taken its next step for so long. */
const isUntaken = (open: WorkStanding | undefined, forMs: number): open is WorkStanding =>
  open?.untakenSinceMs !== undefined && Date.now() - open.untakenSinceMs >= forMs

/** A server that does not answer in this time is asked again. */
const ANSWER_MS = 5_000
const PAUSE_MS = 250
/** Whoever is there takes the word to stop within this. */
const TAKEN_MS = 5_000

/** Ctrl-C for one workflow. */
interface Stopping {
  /** To be called when another run of the workflow may have begun: Ctrl-C is for that one, too. */
  repeat(): void
  /** The workflow is over, or nobody waits for it any more. */
  close(): void
}

/**
 * From Ctrl-C on, tells a workflow to stop until the server has taken that: it may be too busy, and
 * the workflow may not be there yet, while its start is on the way. Told once and not heard, a
 * workflow would go on writing to the API. One that no worker takes up to end it in order is ended
 * by the server.
 */
function stopOnSignal(client: Client, workflowId: string, signal: AbortSignal): Stopping {
  let isOver = false
  const { workflow } = client
  const untilTaken = async (step: () => Promise<unknown>): Promise<void> => {
    while (!isOver)
      try {
        await client.withDeadline(Date.now() + ANSWER_MS, step)
        return
      } catch {
        await pause(PAUSE_MS)
      }
  }
  const stop = async (): Promise<void> => {
    await untilTaken(() => workflow.getHandle(workflowId).cancel())
    while (!isOver) {
      await pause(PAUSE_MS)
      await untilTaken(() => endIfUntaken(client, workflowId))
    }
  }
  const onSignal = (): void => void stop()
  const repeat = (): void => {
    if (signal.aborted) onSignal()
  }
  signal.addEventListener('abort', onSignal, { once: true })
  return {
    repeat,
    close() {
      isOver = true
      signal.removeEventListener('abort', onSignal)
    },
  }
}

async function endIfUntaken(client: Client, workflowId: string): Promise<void> {
  const open = await askWork(client, workflowId)
  if (!isUntaken(open, TAKEN_MS)) return
  await client.workflow
    .getHandle(workflowId, open.runId)
    .terminate('it was told to stop, and no worker was there to end it in order')
}
