import type { WorkflowService } from '@temporalio/client'

/** A poll takes a minute at most; Temporal names pollers for some minutes after their last one. */
const STILL_POLLING_MS = 2 * 60_000

/**
 * Whether a worker asks this task queue for workflows: an answer of Temporal, about any machine.
 */
export async function hasPollers(
  workflowService: WorkflowService,
  namespace: string,
  taskQueue: string,
): Promise<boolean> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
  })
  return (pollers ?? []).some(
    ({ lastAccessTime }) =>
      Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < STILL_POLLING_MS,
  )
}
