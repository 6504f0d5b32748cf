import type { Client } from '@temporalio/client'
import { waitFor } from './project.ts'

/** `PENDING_ACTIVITY_STATE_CANCEL_REQUESTED` of Temporal's API. */
const CANCEL_REQUESTED = 3

/**
 * Until the activity that a workflow has under way was told to stop, which comes with the answer to
 * a heartbeat: two more of them have come since the server knew.
 */
export async function waitForStop({ workflow }: Client, workflowId: string): Promise<void> {
  const beats = new Set<string>()
  await waitFor(async () => {
    const { raw } = await workflow.getHandle(workflowId).describe()
    const [activity] = raw.pendingActivities ?? []
    if (Number(activity?.state) === CANCEL_REQUESTED)
      beats.add(JSON.stringify(activity!.lastHeartbeatTime))
    return beats.size > 2
  }, `${workflowId} to be told to stop`)
}
