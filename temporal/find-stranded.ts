import { exportsQueue, typeOfId, writesQueue } from '../workflows/ids.ts'
import { hasPollers, pollersOf } from './find-pollers.ts'
import type { Poller } from './find-pollers.ts'
import { listOpenWork } from './open-work.ts'
import type { Asking, OpenWork } from './open-work.ts'

/** How the work of a database stands in Temporal. */
export interface WorkStandingInTemporal {
  /** Whether a worker of it, wherever that runs, asks for work. */
  isWorkerUp: boolean
  /** Ids of all that is under way. */
  open: string[]
  /** What has begun, any worker goes on with, and no worker is there for. */
  stranded: OpenWork[]
  /** Roles that nobody has, though other workers are up and nights, or plans, need them. */
  missingRoles: MissingRole[]
}

/** As `worker --role` names them. */
export type MissingRole = 'export' | 'write'

/**
 * Which work is open on a queue that nobody polls: of the database's own queue, and of any other
 * where the server is of this database alone.
 */
export async function findStranded(
  asking: Asking,
  { taskQueue, isAlone }: { taskQueue: string; isAlone: boolean },
): Promise<WorkStandingInTemporal> {
  const { workflowService, options } = asking
  const askPollers = (queue: string): Promise<Poller[]> =>
    pollersOf(workflowService, options.namespace, queue)
  const open = (await listOpenWork(asking)).filter(work => isAlone || work.taskQueue === taskQueue)
  const pollers = new Map([[taskQueue, await askPollers(taskQueue)]])
  for (const { taskQueue: queue } of open)
    if (!pollers.has(queue)) pollers.set(queue, await askPollers(queue))
  const isWorkerUp = pollers.get(taskQueue)!.length > 0
  return {
    isWorkerUp,
    open: open.map(({ workflowId }) => workflowId),
    stranded: open.filter(
      work => isForWorkers(work) && !pollers.get(work.taskQueue)!.some(one => takesUp(one, work)),
    ),
    missingRoles: isWorkerUp ? await findMissingRoles(asking, taskQueue, open) : [],
  }
}

/**
 * An apply is over with the process that began it, and nobody takes it up: whether something of its
 * plan is left to do is told by the plan.
 */
const isForWorkers = ({ workflowId }: OpenWork): boolean => typeOfId(workflowId) !== 'applyPlan'

/** Whoever is of another release than the one that work is pinned to leaves it alone. */
export const takesUp = (
  { buildId }: Pick<Poller, 'buildId'>,
  { pinnedTo }: Pick<OpenWork, 'pinnedTo'>,
): boolean => pinnedTo === undefined || buildId === pinnedTo

/** Every night writes files; what is written to the API is rows of a plan whose time comes. */
async function findMissingRoles(
  { workflowService, options: { namespace } }: Asking,
  taskQueue: string,
  open: readonly OpenWork[],
): Promise<MissingRole[]> {
  const wanted: [MissingRole, string][] = [['export', exportsQueue(taskQueue)]]
  if (open.some(({ workflowId }) => typeOfId(workflowId) === 'sendWhenDue'))
    wanted.push(['write', writesQueue(taskQueue)])
  const missing: MissingRole[] = []
  for (const [role, queue] of wanted)
    if (!(await hasPollers(workflowService, namespace, queue, 'activities'))) missing.push(role)
  return missing
}
