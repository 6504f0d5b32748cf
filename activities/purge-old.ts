import { toIso } from '../calendar/days.ts'
import type { Purged, Retention } from '../connectors/destination/upkeep.ts'
import type { Dependencies } from './dependencies.ts'

export interface PurgeInput {
  store: string
  retention: Retention
}

/** Removes what `retention:` does not keep, of one store. */
export const purgeOld = (
  { destination, now }: Dependencies,
  { store, retention }: PurgeInput,
): Promise<Purged[]> => destination.upkeep.purge({ store, retention, at: toIso(now()) })
