import { setTimeout as pause } from 'node:timers/promises'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { PushMemory } from '../connectors/destination/push.ts'
import type { Runner } from '../outbound/run.ts'
import { pushFolder } from '../push/load-plan.ts'
import type { Push } from '../push/push.ts'
import { catalogStreams } from '../push/read-list.ts'
import type { Dependencies } from './dependencies.ts'
import { identifyStore } from './identify-store.ts'

/** What pushes remember, and where their files lie: beside the database. */
export interface PushPlace {
  outbound: OutboundStore
  memory: PushMemory
  localFiles: string
  /** Of tillage.yaml. */
  settings: Push['settings']
  runner: Runner
}

/** What pushes need, on top of what activities have. */
export const createPush = (
  { outbound, memory, localFiles, settings, runner }: PushPlace,
  dependencies: Dependencies,
): Push => ({
  outbound,
  memory,
  settings,
  runner,
  folder: pushFolder(localFiles),
  streams: catalogStreams(dependencies.stream),
  store: id => dependencies.store(id),
  identify: (store, signal) => identifyStore(dependencies, { store }, signal),
  progress: undefined,
  now: dependencies.now,
  sleep: (ms, signal) => pause(ms, undefined, { signal }),
})
