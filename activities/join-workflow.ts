import { activityInfo, ApplicationFailure, getClient } from '@temporalio/activity'
import { TillageError } from '../errors.ts'

/**
 * Waits for a workflow that somebody else started. A child cannot be joined from a workflow, so a
 * second start of the same work comes here instead of doing it twice. Each attempt asks once:
 * waiting inside would hold slots that the work itself may need. Work that failed fails here in the
 * same way, once and for all.
 */
export async function joinWorkflow({ workflowId }: { workflowId: string }): Promise<unknown> {
  const handle = getClient().workflow.getHandle(workflowId)
  const { status, taskQueue } = await handle.describe()
  if (status.name === 'RUNNING' && taskQueue !== activityInfo().taskQueue)
    throw leftBehind(workflowId, taskQueue)
  if (status.name === 'RUNNING')
    throw ApplicationFailure.create({
      type: 'STILL_RUNNING',
      message: `${workflowId} is still running`,
      nextRetryDelay: '1 second',
    })
  try {
    return await handle.result()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowFailedError') throw error
    const { cause } = error
    if (cause instanceof ApplicationFailure)
      throw ApplicationFailure.create({
        type: cause.type ?? 'UNKNOWN',
        message: cause.message,
        nonRetryable: true,
        details: cause.details ?? [],
      })
    throw new TillageError(
      'INTERRUPTED',
      `the same work was already running (${workflowId}) and was stopped before it was done`,
      {
        remedy:
          'What was committed stays. Run the same command again: it goes on with what is missing.',
      },
    )
  }
}

const leftBehind = (workflowId: string, taskQueue: string): TillageError =>
  new TillageError(
    'TEMPORAL_SHARED',
    `${workflowId} is open on the task queue ${taskQueue}, which belongs to another database`,
    {
      remedy:
        'Give each database its own namespace (temporal.namespace in tillage.yaml); ' +
        'tillage sync of the same store ends work that no worker continues.',
    },
  )
