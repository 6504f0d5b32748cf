import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import type { Act } from '../../sql/audit-chain.ts'
import type { Evicted, EvictOrder, ZoneChange } from '../../sql/by-hand.ts'
import type { Stream } from '../../stream.ts'
import { withExclusiveDatabase } from '../connection/exclusive.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { appendTo } from '../tables/append-act.ts'
import { applyZone, previewZoneChange } from './change-zone.ts'
import { takeShopOut } from './evict-shop.ts'
import { purge as purgeOn } from './purge.ts'
import { renameRows } from './rename-store.ts'

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
    const change = previewZoneChange(connection, wanted, streams)
    if (dryRun) return change
    applyZone(connection, change)
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
    const evicted = takeShopOut(connection, order, streams)
    if (!order.dryRun) appendTo(connection, actOf(evicted))
    return evicted
  })

export const renameStore = (
  path: string,
  { from, to }: { from: string; to: string },
  act: Act,
): { tables: number; rows: number } =>
  withExclusiveDatabase(path, connection => {
    const renamed = renameRows(connection, from, to)
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
