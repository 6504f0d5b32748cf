import { CancellationScope, isCancellation } from '@temporalio/workflow'
import { executeOrJoin } from './execute-or-join.ts'
import { failureOf, toApplicationFailure } from './failures.ts'
import { syncStreamId } from './ids.ts'
import type { SyncWork } from './ids.ts'
import { identifyStore } from './proxies.ts'
import { emptyResult } from './results.ts'
import type { StoreResult, StreamResult } from './results.ts'
import { syncStream } from './sync-stream.ts'

export interface SyncStoreInput extends SyncWork {
  streams: string[]
}

/**
 * All streams of one store, side by side under the store's governor; lists of each record of
 * another stream come after that one, which says what there is to read. One that fails does not
 * stop the others.
 */
export async function syncStore(input: SyncStoreInput): Promise<StoreResult> {
  const result: StoreResult = { store: input.store, streams: [], failure: undefined }
  try {
    const { timeZone, parents } = await identifyStore({ store: input.store })
    result.streams = await syncInOrder(input.streams, parents, stream =>
      syncOne(input, stream, timeZone),
    )
    result.failure = result.streams.find(stream => stream.failure !== undefined)?.failure
  } catch (error) {
    if (isCancellation(error)) throw error
    result.failure = failureOf(error)
  }
  // Failed in Temporal too, so that nobody has to open a result to see it; what was done travels
  // along.
  if (result.failure !== undefined) throw toApplicationFailure(result.failure, 'fatal', result)
  return result
}

/**
 * Ends when every stream has, also when it is stopped: one that is left behind while it comes to
 * its end would be joined by the next run, which would be told that it was stopped, too.
 */
async function syncInOrder(
  streams: readonly string[],
  parents: Partial<Record<string, string>>,
  sync: (stream: string) => Promise<StreamResult>,
): Promise<StreamResult[]> {
  const started = new Map<string, Promise<StreamResult>>()
  const start = (stream: string): Promise<StreamResult> => {
    const running = started.get(stream) ?? startAfterParent(stream)
    started.set(stream, running)
    return running
  }
  const startAfterParent = async (stream: string): Promise<StreamResult> => {
    const parent = parents[stream]
    if (parent !== undefined && streams.includes(parent)) await start(parent)
    return sync(stream)
  }
  const all = streams.map(start)
  await Promise.allSettled(all)
  return Promise.all(all)
}

async function syncOne(
  input: SyncStoreInput,
  stream: string,
  timeZone: string,
): Promise<StreamResult> {
  const { streams: _, ...work } = input
  try {
    return await executeOrJoin(syncStream, syncStreamId(work, stream), [
      { ...work, stream, timeZone },
    ])
  } catch (error) {
    // Only the cancellation of this workflow is thrown: a stream that somebody else stopped is a
    // failure of that stream.
    if (CancellationScope.current().consideredCancelled) throw error
    return { ...emptyResult(stream), failure: failureOf(error) }
  }
}
