import { CancellationScope, isCancellation } from '@temporalio/workflow'
import type { Run } from '../activities/begin-run.ts'
import { explainFailure, toApplicationFailure } from './failures.ts'
import { noteRun, noteStopped } from './proxies.ts'

/** Does the work of a run; where that fails or is stopped, it is remembered why. */
export async function noted<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw await noteFailure(run, error)
  }
}

/**
 * Remembers why a run came to no good end, also where it was stopped: `status` would call it
 * running for a day (INV-11). Answers what the workflow ends with.
 */
async function noteFailure(run: Run, error: unknown): Promise<unknown> {
  const failure = explainFailure(error)
  const detail = `${failure.code}: ${failure.message}`
  const note = { run, outcome: 'failed', detail } as const
  try {
    if (isCancellation(error)) throw error
    await noteRun(note)
    return toApplicationFailure(failure)
  } catch (stop) {
    if (!isCancellation(stop)) throw stop
    await CancellationScope.nonCancellable(() => noteStopped(note))
    return stop
  }
}
