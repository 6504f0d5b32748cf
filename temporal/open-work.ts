import type { Client } from '@temporalio/client'
import { codeOf, NOT_FOUND } from './grpc-codes.ts'

/** A workflow that has not come to its end, as Temporal says it; no payload is looked into. */
export interface OpenWork {
  workflowId: string
  runId: string
  type: string
  taskQueue: string
  /** Which release alone goes on with it; undefined: any may. */
  pinnedTo?: string
}

/** Where work is looked for: a client, or what stands for one without knowing our key. */
export type Asking = Pick<Client, 'workflowService' | 'options'>

/** All that is open in the namespace. */
export async function listOpenWork({ workflowService, options }: Asking): Promise<OpenWork[]> {
  const found: OpenWork[] = []
  const query = { namespace: options.namespace, query: 'ExecutionStatus = "Running"' }
  let nextPageToken = new Uint8Array()
  do {
    const page = await workflowService.listWorkflowExecutions({ ...query, nextPageToken })
    found.push(...page.executions.map(asOpenWork))
    nextPageToken = Uint8Array.from(page.nextPageToken)
  } while (nextPageToken.length > 0)
  return found
}

type ListedWork = Awaited<
  ReturnType<Asking['workflowService']['listWorkflowExecutions']>
>['executions'][number]

const asOpenWork = ({ execution, type, taskQueue, searchAttributes }: ListedWork): OpenWork => ({
  workflowId: execution?.workflowId ?? '',
  runId: execution?.runId ?? '',
  type: type?.name ?? '',
  taskQueue: taskQueue ?? '',
  ...pinOf(searchAttributes?.indexedFields ?? {}),
})

/** Temporal's own search attributes say it: a list has it in no other place. */
function pinOf(
  fields: NonNullable<NonNullable<ListedWork['searchAttributes']>['indexedFields']>,
): Pick<OpenWork, 'pinnedTo'> {
  const { TemporalWorkflowVersioningBehavior: how, TemporalWorkerDeploymentVersion: version } =
    fields
  if (how === undefined || textOf(how) !== 'Pinned' || version === undefined) return {}
  // `name:release`; neither has a colon.
  return { pinnedTo: textOf(version).split(':')[1]! }
}

const textOf = ({ data }: { data?: Uint8Array | null }): string =>
  JSON.parse(Buffer.from(data ?? '""').toString()) as string

/** Where one workflow stands; undefined where none of that id is open. */
export interface WorkStanding {
  runId: string
  taskQueue: string
  /** Nobody has taken its next step since then; undefined: somebody has, or there is none. */
  untakenSinceMs: number | undefined
}

/** `WORKFLOW_EXECUTION_STATUS_RUNNING` of Temporal's API. */
const RUNNING = 1

export async function askWork(
  { workflowService, options }: Asking,
  workflowId: string,
): Promise<WorkStanding | undefined> {
  const { namespace } = options
  const asked = workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } })
  const said = await asked.catch((error: unknown) => {
    if (codeOf(error) === NOT_FOUND) return undefined
    throw error
  })
  const info = said?.workflowExecutionInfo
  if (Number(info?.status) !== RUNNING) return undefined
  return {
    runId: info?.execution?.runId ?? '',
    taskQueue: info?.taskQueue ?? '',
    untakenSinceMs: untakenSince(said?.pendingWorkflowTask),
  }
}

type PendingStep = Awaited<
  ReturnType<Asking['workflowService']['describeWorkflowExecution']>
>['pendingWorkflowTask']

function untakenSince(step: PendingStep): number | undefined {
  const { scheduledTime, startedTime } = step ?? {}
  return !scheduledTime || startedTime ? undefined : Number(scheduledTime.seconds) * 1_000
}
