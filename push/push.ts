import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { PushMemory } from '../connectors/destination/push.ts'
import type { Limits } from '../connectors/partner/governor.ts'
import type { CatalogStreams, PushStore } from './read-list.ts'
import type { PushPolicy } from './settings.ts'

/** All that pushing catalogs needs: stores to talk to, and what is remembered. */
export interface Push {
  outbound: OutboundStore
  memory: PushMemory
  /** What a schedule may send without a person; undefined = nothing. */
  policy: PushPolicy | undefined
  /** Where plans lie, one folder each. */
  folder: string
  streams: CatalogStreams
  store(id: string): PushStore & { settings: { limits: Limits } }
  /** The first request to a store: proves address and keys, and tells the zone. */
  identify(store: string, signal: AbortSignal): Promise<{ timeZone: string }>
  /** The round that is under way in this process, for people who wait. */
  progress: { plan: string; done: number; total: number } | undefined
  now(): number
  sleep(ms: number): Promise<void>
}
