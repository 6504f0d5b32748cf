import { CancellationScope, patched } from '@temporalio/workflow'
import { executeOrJoin } from './execute-or-join.ts'
import { failureOf, resultOf } from './failures.ts'
import type { SyncWork } from './ids.ts'
import { syncStoreId, unshortenedStoreId } from './ids.ts'
import type { Failure, StoreResult } from './results.ts'
import { syncStore } from './sync-store.ts'

export interface ChildReading {
  result?: StoreResult
  failure?: Failure
  /** The store answered, so each stream was tried. */
  wasBegun: boolean
  /** Streams that could not be read. */
  failed: string[]
}

/**
 * Reads streams of a store for a schedule, or joins the same work where it is under way. What
 * failed is answered, not thrown, and so is work that somebody stopped: a command that joined the
 * same sync may do that, and its Ctrl-C does not concern this run.
 */
export async function runChildSync(
  work: SyncWork,
  streams: readonly string[],
): Promise<ChildReading> {
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

/**
 * Why streams that somebody needs were not read: the store or one of them refused, or of one no
 * window could be proven.
 */
export function whyUnread(
  { result, failure, wasBegun, failed }: ChildReading,
  needed: readonly string[],
): Pick<Failure, 'code' | 'message'> | undefined {
  if (failure !== undefined && (!wasBegun || failed.some(stream => needed.includes(stream))))
    return failure
  const unread = result?.streams.find(
    ({ stream, windows }) =>
      needed.includes(stream) && windows.proven === 0 && windows.unproven > 0,
  )
  // A night that began before this was looked at goes on without it.
  if (unread === undefined || !patched('unread streams')) return undefined
  return { code: 'NOT_PROVEN', message: `no window of ${unread.stream} could be proven` }
}

/**
 * Of a child that reads a store. A run that began before ids were shortened goes on with its own.
 */
export function childSyncId(work: SyncWork, streams: readonly string[]): string {
  const [id, before] = [syncStoreId(work, streams), unshortenedStoreId(work, streams)]
  return id === before || patched('shortened ids') ? id : before
}
