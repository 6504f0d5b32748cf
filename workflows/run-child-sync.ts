import { CancellationScope } from '@temporalio/workflow'
import { childSyncId } from './child-sync-id.ts'
import { executeOrJoin } from './execute-or-join.ts'
import { failureOf, resultOf } from './failures.ts'
import type { SyncWork } from './ids.ts'
import type { Failure, StoreResult } from './results.ts'
import { syncStore } from './sync-store.ts'

/**
 * Reads streams of a store for a schedule, or joins the same work where it is under way. What
 * failed is answered, not thrown, and so is work that somebody stopped: a command that joined the
 * same sync may do that, and its Ctrl-C does not concern this run. `wasBegun`: the store answered,
 * so each stream was tried; `failed` are those of them that could not be read.
 */
export async function runChildSync(
  work: SyncWork,
  streams: readonly string[],
): Promise<{ result?: StoreResult; failure?: Failure; wasBegun: boolean; failed: string[] }> {
  const input = { ...work, tolerant: true, streams: [...streams] }
  try {
    const result = await executeOrJoin(syncStore, childSyncId(work, streams), [input])
    return { result, wasBegun: true, failed: [] }
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) throw error
    const tried = resultOf(error)?.streams ?? []
    const failed = tried.filter(stream => stream.failure !== undefined)
    return {
      failure: failureOf(error),
      wasBegun: tried.length > 0,
      failed: failed.map(({ stream }) => stream),
    }
  }
}
