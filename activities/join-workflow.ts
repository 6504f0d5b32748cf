import { ApplicationFailure, getClient } from '@temporalio/activity'

/**
 * Waits for a workflow that somebody else started. A child cannot be joined from a workflow, so a second start of the
 * same work comes here instead of doing it twice. Each attempt is one look: waiting inside would hold slots that the
 * work itself may need.
 */
export async function joinWorkflow({ workflowId }: { workflowId: string }): Promise<unknown> {
  const handle = getClient().workflow.getHandle(workflowId)
  const { status } = await handle.describe()
  if (status.name === 'RUNNING') throw ApplicationFailure.create({ type: 'STILL_RUNNING', message: `${workflowId} is still running`, nextRetryDelay: '1 second' })
  return handle.result()
}
