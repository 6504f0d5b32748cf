import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { PushMemory } from '../connectors/destination/push.ts'
import type { Push } from '../push/push.ts'
import { catalogStreams } from '../push/read-list.ts'
import type { PushPolicy } from '../push/settings.ts'
import type { Dependencies } from './dependencies.ts'
import { identifyStore } from './identify-store.ts'

/** What pushes remember, and where their files lie: beside the database. */
export interface PushPlace {
  outbound: OutboundStore
  memory: PushMemory
  database: string
  /** Of tillage.yaml. */
  policy?: PushPolicy | undefined
}

/** What pushes need, on top of what activities have. */
export const createPush = (
  { outbound, memory, database, policy }: PushPlace,
  dependencies: Dependencies,
): Push => ({
  outbound,
  memory,
  policy,
  folder: join(dirname(database), 'push'),
  streams: catalogStreams(dependencies.stream),
  store: id => dependencies.store(id),
  identify: (store, signal) => identifyStore(dependencies, { store }, signal),
  progress: undefined,
  now: dependencies.now,
  sleep: ms => pause(ms),
})
