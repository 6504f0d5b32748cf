import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { CancellationScope, executeChild, ParentClosePolicy } from '@temporalio/workflow'
import { explainFailure } from './failures.ts'
import { syncStoreId } from './ids.ts'
import type { SyncWork } from './ids.ts'
import { joinWorkflow } from './proxies.ts'
import type { Failure, StoreResult } from './results.ts'
import { syncStore } from './sync-store.ts'

/**
 * Reads streams of a store for a schedule, or joins the same work where it is under way. What
 * failed is answered, not thrown, and so is work that somebody stopped: a command that joined the
 * same sync may do that, and its Ctrl-C is not for us.
 */
export async function runChildSync(
  work: SyncWork,
  streams: readonly string[],
): Promise<{ result?: StoreResult; failure?: Failure }> {
  const workflowId = syncStoreId(work, streams)
  const failed = (cause: unknown): { failure: Failure } => {
    if (CancellationScope.current().consideredCancelled) throw cause
    const { recovery: _, ...failure } = explainFailure(cause)
    return { failure }
  }
  try {
    return {
      result: await executeChild(syncStore, {
        workflowId,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        args: [{ ...work, tolerant: true, streams: [...streams] }],
      }),
    }
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) return failed(error)
    try {
      return { result: (await joinWorkflow({ workflowId })) as StoreResult }
    } catch (cause) {
      return failed(cause)
    }
  }
}
