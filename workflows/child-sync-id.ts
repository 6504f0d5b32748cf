import { patched } from '@temporalio/workflow'
import { syncStoreId, unshortenedStoreId } from './ids.ts'
import type { SyncWork } from './ids.ts'

/**
 * Of a child that reads a store. A run that began before ids were shortened goes on with its own.
 */
export function childSyncId(work: SyncWork, streams: readonly string[]): string {
  const [id, before] = [syncStoreId(work, streams), unshortenedStoreId(work, streams)]
  return id === before || patched('shortened ids') ? id : before
}
