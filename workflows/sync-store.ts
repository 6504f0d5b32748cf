import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ApplicationFailure,
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  isCancellation,
} from '@temporalio/workflow'
import { explainFailure } from './failures.ts'
import { syncStreamId } from './ids.ts'
import type { SyncWork } from './ids.ts'
import { identifyStore, joinWorkflow } from './proxies.ts'
import { emptyResult } from './results.ts'
import type { StoreResult, StreamResult } from './results.ts'
import { syncStream } from './sync-stream.ts'

export interface SyncStoreInput extends SyncWork {
  streams: string[]
}

/**
 * All streams of one store, side by side under the store's governor. One that fails does not stop
 * the others.
 */
export async function syncStore(input: SyncStoreInput): Promise<StoreResult> {
  const result: StoreResult = { store: input.store, streams: [], failure: undefined }
  try {
    const { timeZone } = await identifyStore({ store: input.store })
    result.streams = await Promise.all(
      input.streams.map(stream => syncOne(input, stream, timeZone)),
    )
    result.failure = result.streams.find(stream => stream.failure !== undefined)?.failure
  } catch (error) {
    if (isCancellation(error)) throw error
    const { recovery: _, ...failure } = explainFailure(error)
    result.failure = failure
  }
  // Failed in Temporal too, so that nobody has to open a result to see it; what was done travels
  // along.
  if (result.failure !== undefined)
    throw ApplicationFailure.create({
      type: result.failure.code,
      message: result.failure.message,
      nonRetryable: true,
      details: [{ recovery: 'fatal', remedy: result.failure.remedy }, result],
    })
  return result
}

async function syncOne(
  input: SyncStoreInput,
  stream: string,
  timeZone: string,
): Promise<StreamResult> {
  const { streams: _, ...work } = input
  const workflowId = syncStreamId(work, stream)
  try {
    return await executeChild(syncStream, {
      workflowId,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      args: [{ ...work, stream, timeZone }],
    }).catch((error: unknown) => {
      if (error instanceof WorkflowExecutionAlreadyStartedError)
        return joinWorkflow({ workflowId }) as Promise<StreamResult>
      throw error
    })
  } catch (error) {
    // Only our own end is thrown: a stream that somebody else stopped is a failure of that stream.
    if (CancellationScope.current().consideredCancelled) throw error
    const { recovery: __, ...failure } = explainFailure(error)
    return { ...emptyResult(stream), failure }
  }
}
