import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { PushMemory } from '../connectors/destination/push.ts'
import type { Limits } from '../connectors/partner/governor.ts'
import type { Runner } from '../outbound/run.ts'
import type { CatalogStreams, PushStore } from './read-list.ts'
import type { PushSettings } from './settings.ts'

/** All that pushing catalogs needs: stores to talk to, and what is remembered. */
export interface Push {
  outbound: OutboundStore
  memory: PushMemory
  /**
   * Who may approve, what a schedule may send without a person (undefined: nothing), and which
   * columns of files are the users' own.
   */
  settings: Partial<Pick<PushSettings, 'approvers' | 'policy' | 'ignoreColumns'>> & {
    /** Of a store's amounts, which the API states without one. */
    currencyOf?: (store: string) => string
  }
  /** This process, as others know it. */
  runner: Runner
  /** Where plans lie, one folder each. */
  folder: string
  streams: CatalogStreams
  store(id: string): PushStore & { settings: { baseUrl: string; limits: Limits } }
  /** The first request to a store: proves address and keys, tells the zone, and who answers. */
  identify(store: string, signal: AbortSignal): Promise<PushIdentity>
  /** The round that is under way in this process, for people who wait. */
  progress: { plan: string; done: number; total: number } | undefined
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface PushIdentity {
  timeZone: string
  /** Undefined where the API does not say. */
  companyId?: string | undefined
  shopId?: string | undefined
}
