import { isCancellation, setWorkflowOptions, sleep } from '@temporalio/workflow'
import type { HintsRead } from '../activities/read-hints.ts'
import { executeOrJoin } from './execute-or-join.ts'
import { readHints as readHintsOnce } from './proxies.ts'
import { childSyncId } from './run-child-sync.ts'
import { syncStore } from './sync-store.ts'
import { goesOn } from './versioning.ts'

type Range = NonNullable<HintsRead['range']>

/** A history stays short; who still waits then starts the next one. */
const MOST_ROUNDS = 10
/** An API that does not answer is not asked again at once. */
const PAUSE = '30 seconds'

/**
 * Reads what the API's events are about, until none waits. What they name is read by its id, what
 * they do not name by the list of today.
 */
export async function readHints({ store }: { store: string }): Promise<void> {
  let done: Range | undefined
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { unanswered, range } = await readHintsOnce({ store, done: done?.hints })
    if (range === undefined && unanswered === 0) return
    done = range !== undefined && (await isRead(store, range)) ? range : undefined
    if (done === undefined) await sleep(PAUSE)
  }
}
setWorkflowOptions(goesOn, readHints)

/** What fails is told by the store's next night; these hints wait for their next turn. */
async function isRead(store: string, { from, hints }: Range): Promise<boolean> {
  const streams = [...new Set(hints.map(({ stream }) => stream))].toSorted()
  const work = { store, from, tolerant: true }
  try {
    await executeOrJoin(syncStore, childSyncId(work, streams), [{ ...work, streams }])
    return true
  } catch (error) {
    if (isCancellation(error)) throw error
    return false
  }
}
