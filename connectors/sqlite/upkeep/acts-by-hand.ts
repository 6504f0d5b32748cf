import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import type { Act } from '../../sql/audit-chain.ts'
import type { Evicted, EvictOrder, ZoneChange } from '../../sql/by-hand.ts'
import { applyZone, previewZoneChange } from '../../sql/upkeep/change-zone.ts'
import { takeShopOut } from '../../sql/upkeep/evict-shop.ts'
import { renameRows } from '../../sql/upkeep/rename-store.ts'
import type { Stream } from '../../stream.ts'
import { withExclusiveDatabase } from '../connection/exclusive.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { stepsOn } from '../connection/steps.ts'
import { appendTo } from '../tables/append-act.ts'
import { purge as purgeOn } from './purge.ts'
import { createUpkeepDialect } from './upkeep-dialect.ts'

/**
 * What somebody does by hand, each with its entry in the audit log, both or neither; while nobody
 * else has the database open, where it is not said otherwise. A dry run only looks.
 */

export const changeZone = (
  path: string,
  { dryRun, ...wanted }: { store: string; zone: string; dryRun: boolean },
  streams: readonly Stream[],
  actOf: (change: ZoneChange) => Act,
): ZoneChange =>
  withExclusiveDatabase(path, connection => {
    const steps = stepsOn(connection)
    const change = steps(previewZoneChange(wanted, streams))
    if (dryRun) return change
    steps(applyZone(change))
    appendTo(connection, actOf(change))
    return change
  })

export const evictShop = (
  path: string,
  order: EvictOrder,
  streams: readonly Stream[],
  actOf: (evicted: Evicted) => Act,
): Evicted =>
  withExclusiveDatabase(path, connection => {
    const evicted = stepsOn(connection)(
      takeShopOut(createUpkeepDialect(connection), order, streams),
    )
    if (!order.dryRun) appendTo(connection, actOf(evicted))
    return evicted
  })

export const renameStore = (
  path: string,
  renaming: { from: string; to: string },
  act: Act,
): { tables: number; rows: number } =>
  withExclusiveDatabase(path, connection => {
    const renamed = stepsOn(connection)(renameRows(createUpkeepDialect(connection), renaming))
    appendTo(connection, act)
    return renamed
  })

/** Beside others that have the database open. All tables or none; a dry run takes it back. */
export function purge(
  path: string,
  order: PurgeOrder,
  streams: readonly Stream[],
  options: { dryRun: boolean },
): Purged[] {
  const connection = openConnection(path)
  try {
    return purgeOn(connection, order, streams, options)
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}
