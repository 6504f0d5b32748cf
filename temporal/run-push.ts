import { TillageError } from '../errors.ts'
import { pushId } from '../workflows/ids.ts'
import { startWorkflow } from './follow-workflow.ts'
import type { RunningWorker } from './session.ts'
import { asOurs, updateWorkflow } from './update-workflow.ts'

/**
 * Starts the run of a plan, or joins it where it waits for later rows, and comes back when what is
 * due now was sent. Ctrl-C ends it in order, between two records.
 */
export async function runPush(
  worker: RunningWorker,
  plan: string,
  signal: AbortSignal,
): Promise<void> {
  const workflowId = pushId(plan)
  const order = { type: 'pushCatalog', workflowId, input: { plan }, update: 'applyNow' }
  try {
    await updateWorkflow(worker, order, signal)
  } catch (error) {
    throw error instanceof TillageError ? error : await failureOf(worker, workflowId, error)
  }
}

/** An update that could not be answered tells nothing; the run that it was for does. */
async function failureOf(
  { client }: RunningWorker,
  workflowId: string,
  error: unknown,
): Promise<unknown> {
  const run = client.workflow.getHandle(workflowId)
  const { status } = await run.describe()
  if (status.name === 'RUNNING') return error
  return run.result().then(
    () => error,
    (cause: unknown) => asOurs(cause),
  )
}

/** Runs of plans with rows that wait for their time; whoever starts a worker starts them, too. */
export async function startWaitingPushes(
  worker: RunningWorker,
  plans: readonly string[],
): Promise<void> {
  for (const plan of plans)
    await startWorkflow(worker, { type: 'pushCatalog', workflowId: pushId(plan), input: { plan } })
}
