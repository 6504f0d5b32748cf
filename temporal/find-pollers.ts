import type { WorkflowService } from '@temporalio/client'

/** A poll takes a minute at most; Temporal names pollers for some minutes after their last one. */
const STILL_POLLING_MS = 2 * 60_000

/** `TaskQueueType` of Temporal's API, whose enum is in a package of its own. */
const TYPES = { workflows: 1, activities: 2 } as const

export interface Poller {
  identity: string
  /** Which release it is of; empty: it does not say. */
  buildId: string
}

/** Whoever asks this task queue for work: an answer of Temporal, about any machine. */
export async function pollersOf(
  workflowService: WorkflowService,
  namespace: string,
  taskQueue: string,
  asked: keyof typeof TYPES = 'workflows',
): Promise<Poller[]> {
  const request: object = {
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TYPES[asked],
  }
  const { pollers } = await workflowService.describeTaskQueue(request)
  return (pollers ?? [])
    .filter(
      ({ lastAccessTime }) =>
        Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < STILL_POLLING_MS,
    )
    .map(({ identity, deploymentOptions }) => ({
      identity: identity ?? '',
      buildId: deploymentOptions?.buildId ?? '',
    }))
}

export const hasPollers = async (...asked: Parameters<typeof pollersOf>): Promise<boolean> =>
  (await pollersOf(...asked)).length > 0
