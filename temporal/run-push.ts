import { WithStartWorkflowOperation } from '@temporalio/client'
import { TillageError } from '../errors.ts'
import { pushId } from '../workflows/ids.ts'
import { explainWorkflow } from './follow-workflow.ts'
import type { RunningWorker } from './session.ts'

/**
 * Starts the run of a plan, or joins it where it waits for later rows, and comes back when what is
 * due now was sent. Ctrl-C ends it in order, between two records.
 */
export async function runPush(
  worker: RunningWorker,
  plan: string,
  signal: AbortSignal,
): Promise<void> {
  const { client, taskQueue } = worker
  const workflowId = pushId(plan)
  const start = new WithStartWorkflowOperation('pushCatalog', {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [{ plan }],
  })
  const cancel = (): void => void client.workflow.getHandle(workflowId).cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await Promise.race([
      client.workflow.executeUpdateWithStart('applyNow', { startWorkflowOperation: start }),
      worker.stopped.then(() => Promise.reject(new Error('the worker stopped'))),
    ])
  } catch (error) {
    if (signal.aborted)
      throw new TillageError('INTERRUPTED', 'stopped between two records', {
        remedy: 'What was sent is written down. Run the same command again: it goes on.',
      })
    throw await failureOf(worker, workflowId, error)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** An update that could not be answered tells nothing; the run that it was for does. */
async function failureOf(
  { client }: RunningWorker,
  workflowId: string,
  error: unknown,
): Promise<unknown> {
  const described = await client.workflow.getHandle(workflowId).describe()
  if (described.status.name === 'RUNNING') return error
  return client.workflow
    .getHandle(workflowId)
    .result()
    .then(
      () => error,
      (cause: unknown) => {
        const { failure } = explainWorkflow(cause)
        return new Error(`${failure.code}: ${failure.message}`)
      },
    )
}

/** Runs of plans with rows that wait for their time; whoever starts a worker starts them, too. */
export async function startWaitingPushes(
  { client, taskQueue }: RunningWorker,
  plans: readonly string[],
): Promise<void> {
  for (const plan of plans)
    await client.workflow.start('pushCatalog', {
      workflowId: pushId(plan),
      taskQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [{ plan }],
    })
}
