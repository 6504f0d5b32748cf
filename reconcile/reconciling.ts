import type { ReconcileSettings } from '../audit/settings.ts'
import type { StoreApi } from '../audit/store-api.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import type { Runner } from '../outbound/run.ts'
import type { Target } from '../outbound/target.ts'

/** What carrying reconciliations out takes; the composition root gives it. */
export interface Reconciling {
  store: OutboundStore
  settings: ReconcileSettings
  exports: string
  /** What other machines gave out into a bucket is among the exports then. */
  bring(): Promise<void>
  /** This process, as others know it. */
  runner: Runner
  now(): number
  /** The API of a store, under the governor that everything else of it uses. */
  api(store: string, signal: AbortSignal): StoreApi
  /** Where a store is reached, and who answers there now. */
  target(store: string, signal: AbortSignal): Promise<Target>
}
