import { toIso } from '../calendar/days.ts'
import type { Purged } from '../connectors/destination/upkeep.ts'
import type { Dependencies } from './dependencies.ts'
import { orderOf } from './find-order.ts'

/** A backup of the whole database; histories learn its size, and no path. */
export async function makeBackup(
  dependencies: Dependencies,
  { store }: { store: string },
  signal: AbortSignal,
): Promise<{ megabytes: number; removed: number }> {
  orderOf(dependencies, 'backup', store)
  const { bytes, removed } = await dependencies.makeBackup({ nowMs: dependencies.now(), signal })
  return { megabytes: Math.ceil(bytes / 1_000_000), removed }
}

/** Removes what `retention:` of tillage.yaml does not keep, of one store. */
export async function purgeOld(
  dependencies: Dependencies,
  { store }: { store: string },
): Promise<Purged[]> {
  const { destination, now } = dependencies
  const { retention } = orderOf(dependencies, 'upkeep', store)
  return destination.upkeep.purge({ store, retention, at: toIso(now()) })
}
