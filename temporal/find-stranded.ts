import { hasPollers } from './find-pollers.ts'
import { listOpenWork } from './open-work.ts'
import type { Asking, OpenWork } from './open-work.ts'

/** How the work of a database stands in Temporal. */
export interface WorkStandingInTemporal {
  /** Whether a worker of it, wherever that runs, asks for work. */
  isWorkerUp: boolean
  /** Ids of all that is under way. */
  open: string[]
  /** What has begun, and no worker is there to go on with it. */
  stranded: OpenWork[]
}

/**
 * Which work is open on a queue that nobody polls: of the database's own queue, and of any other
 * where the server is of this database alone.
 */
export async function findStranded(
  asking: Asking,
  { taskQueue, isAlone }: { taskQueue: string; isAlone: boolean },
): Promise<WorkStandingInTemporal> {
  const { workflowService, options } = asking
  const isPolled = (queue: string): Promise<boolean> =>
    hasPollers(workflowService, options.namespace, queue)
  const open = (await listOpenWork(asking)).filter(work => isAlone || work.taskQueue === taskQueue)
  const polled = new Map([[taskQueue, await isPolled(taskQueue)]])
  for (const { taskQueue: queue } of open)
    if (!polled.has(queue)) polled.set(queue, await isPolled(queue))
  return {
    isWorkerUp: polled.get(taskQueue)!,
    open: open.map(({ workflowId }) => workflowId),
    stranded: open.filter(work => polled.get(work.taskQueue) === false),
  }
}
