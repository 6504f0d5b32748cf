import { setTimeout as pause } from 'node:timers/promises'
import { startWorkflow } from '../temporal/follow-workflow.ts'
import type { RunningWorker } from '../temporal/session.ts'
import { hintsId } from '../workflows/ids.ts'
import { createFindStore } from './address.ts'
import type { FindStore } from './address.ts'
import { createHintKeeper } from './keep-hints.ts'
import { startReceiver } from './receiver.ts'
import type { WebhookSettings } from './settings.ts'

/** So often it is asked which stores' hints wait, and which addresses there are. */
const POLL_EVERY_MS = 1_000
/** A store that cannot be read is not tried again at once. */
const AFTER_FAILURE_MS = 30_000

export interface ServedWebhooks {
  /** Where it listens. */
  address: string
  /** Stores that the API can tell of. */
  stores: number
  close(): Promise<void>
}

/**
 * Takes the API's events, and has their records read: the receiver only writes down, and whatever
 * waits, also from before, starts the store's workflow.
 */
export async function serveWebhooks(
  worker: RunningWorker,
  settings: WebhookSettings,
  stores: readonly string[],
): Promise<ServedWebhooks> {
  const { hints, hookAddresses } = worker.dependencies.destination
  let findStore: FindStore = () => undefined
  const readAddresses = async (): Promise<number> => {
    const own = (await hookAddresses.all()).filter(({ store }) => stores.includes(store))
    findStore = createFindStore(own)
    return own.length
  }
  const known = await readAddresses()
  const keep = createHintKeeper(hints)
  const receiver = await startReceiver({
    listen: settings.listen,
    findStore: path => findStore(path),
    keep,
  })
  const wake = createWaker(worker, stores)
  const timer = setInterval(() => {
    // A database that is busy is asked again a second later.
    wake().catch(() => {})
    readAddresses().catch(() => {})
  }, POLL_EVERY_MS)
  return {
    address: receiver.address,
    stores: known,
    async close() {
      clearInterval(timer)
      await receiver.close()
    },
  }
}

/** Starts a workflow for each store of which hints wait, and none that runs. */
function createWaker(worker: RunningWorker, stores: readonly string[]): () => Promise<void> {
  const running = new Set<string>()
  const read = async (store: string): Promise<void> => {
    const workflowId = hintsId(store)
    const handle = await startWorkflow(worker, { type: 'readHints', workflowId, input: { store } })
    await handle.result()
  }
  return async () => {
    for (const store of await worker.dependencies.destination.hints.waitingStores()) {
      if (!stores.includes(store) || running.has(store)) continue
      running.add(store)
      // What fails here waits on; `status` says how far behind a store is.
      void read(store)
        .catch(() => pause(AFTER_FAILURE_MS, undefined, { ref: false }))
        .finally(() => running.delete(store))
    }
  }
}
