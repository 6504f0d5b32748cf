import { toIso } from '../calendar/days.ts'
import type { Purged } from '../connectors/destination/upkeep.ts'
import type { Dependencies } from './dependencies.ts'
import { orderOf } from './find-order.ts'

/** Removes what `retention:` of tillage.yaml does not keep, of one store. */
export async function purgeOld(
  dependencies: Dependencies,
  { store }: { store: string },
): Promise<Purged[]> {
  const { destination, now } = dependencies
  const { retention } = orderOf(dependencies, 'upkeep', store)
  return destination.upkeep.purge({ store, retention, at: toIso(now()) })
}
