import type { Client } from '@temporalio/client'
import { TillageError } from '../errors.ts'
import { hasPollers } from './find-pollers.ts'
import { askWork, listOpenWork } from './open-work.ts'
import type { OpenWork } from './open-work.ts'

/** Who looks for work that others have left. */
export interface Heir {
  client: Client
  taskQueue: string
}

const LEFT = 'it waits on a task queue that this database does not use any more; it is begun anew'

/**
 * Ends what is open on other queues than ours; answers what it was. Only where all that the server
 * holds is of this database.
 */
export async function endLeftWork({ client, taskQueue }: Heir): Promise<OpenWork[]> {
  const left = (await listOpenWork(client)).filter(open => open.taskQueue !== taskQueue)
  for (const open of left) await end(client, open)
  return left
}

/**
 * Makes room for work of ours whose id is taken on another queue, where nobody does it any more.
 * Fails where somebody does: two databases in one namespace have the same ids for their work.
 */
export async function takeOver({ client, taskQueue }: Heir, workflowId: string): Promise<void> {
  const open = await askWork(client, workflowId)
  if (open === undefined || open.taskQueue === taskQueue) return
  const { namespace } = client.options
  if (await hasPollers(client.workflowService, namespace, open.taskQueue))
    throw new TillageError(
      'TEMPORAL_SHARED',
      `${workflowId} is under way for another database (task queue ${open.taskQueue}) ` +
        `in the same namespace "${namespace}"`,
      {
        remedy:
          'Give each database its own namespace (temporal.namespace in tillage.yaml), ' +
          'or stop the worker of the other one.',
      },
    )
  await end(client, { workflowId, runId: open.runId })
}

/** It may have ended meanwhile. */
const end = (
  { workflow }: Client,
  { workflowId, runId }: Pick<OpenWork, 'workflowId' | 'runId'>,
): Promise<unknown> =>
  workflow
    .getHandle(workflowId, runId)
    .terminate(LEFT)
    .catch(() => {})
