import type { RoundResult } from '../activities/apply-plan.ts'
import { ERROR_CODES, TillageError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { applyId, dueId } from '../workflows/ids.ts'
import {
  awaitOneRun,
  explainWorkflow,
  startWorkflow,
  unwrap,
  wasStopped,
} from './follow-workflow.ts'
import { asTemporalError } from './server-error.ts'
import type { RunningWorker } from './session.ts'

/**
 * Carries out a run that this process has begun, and answers what it came to. Ctrl-C ends it in
 * order, after the write that is under way; nothing is sent where it came before.
 */
export async function runPlan(
  worker: RunningWorker,
  input: { plan: string; run: string },
  signal: AbortSignal,
): Promise<RoundResult> {
  if (signal.aborted) throw writesStopped()
  const order = { type: 'applyPlan', workflowId: applyId(input.plan, input.run), input }
  try {
    await worker.carryOutWrites(input.run)
    const result = await awaitOneRun<RoundResult>(worker, order, signal)
    if (signal.aborted) throw writesStopped()
    return result
  } catch (error) {
    throw signal.aborted ? writesStopped() : asOurs(error, worker)
  }
}

/** Rows of plans that wait for their time: whoever carries out writes sends them then. */
export async function startWhenDue(worker: RunningWorker, plans: readonly string[]): Promise<void> {
  for (const plan of plans)
    await startWorkflow(worker, { type: 'sendWhenDue', workflowId: dueId(plan), input: { plan } })
}

/** Ctrl-C between two writes, or somebody who ended the workflow in Temporal. */
const writesStopped = (): TillageError =>
  new TillageError('INTERRUPTED', 'stopped before all of the plan was carried out', {
    remedy:
      'What was sent is written down, and nothing is sent twice. Run the same command again: ' +
      'it goes on with the rest.',
  })

/** What a workflow or the server says, as our error where it is one. */
function asOurs(error: unknown, { dependencies }: RunningWorker): unknown {
  const known = asTemporalError(error, dependencies.destination.localFiles)
  if (known instanceof TillageError) return known
  if (wasStopped(error)) return writesStopped()
  const { code, message, remedy } = explainWorkflow(error).failure
  if (!(code in ERROR_CODES) || code === 'UNKNOWN') return unwrap(error)
  return new TillageError(code as ErrorCode, message, remedy === undefined ? {} : { remedy })
}
