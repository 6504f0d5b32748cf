/**
 * What somebody does by hand, each with its entry in the audit log, both or neither; inside a
 * transaction. A dry run only looks.
 */
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import type { Stream } from '../../stream.ts'
import { actNow } from '../audit-chain.ts'
import type { Act } from '../audit-chain.ts'
import { appendAct } from '../audit-log.ts'
import type { Evicted, EvictOrder, ZoneChange } from '../by-hand.ts'
import { removeOld } from '../purge.ts'
import { run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { applyZone, previewZoneChange } from './change-zone.ts'
import { takeShopOut } from './evict-shop.ts'
import { renameRows } from './rename-store.ts'
import type { UpkeepDialect } from './upkeep-dialect.ts'

export function* changeZone(
  { lastAuditNumberSql }: Pick<UpkeepDialect, 'lastAuditNumberSql'>,
  { dryRun, ...wanted }: { store: string; zone: string; dryRun: boolean },
  streams: readonly Stream[],
  actOf: (change: ZoneChange) => Act,
): Steps<ZoneChange> {
  const change = yield* previewZoneChange(wanted, streams)
  if (dryRun) return change
  yield* applyZone(change)
  yield* appendAct(actOf(change), lastAuditNumberSql)
  return change
}

export function* evictShop(
  dialect: UpkeepDialect,
  order: EvictOrder,
  streams: readonly Stream[],
  actOf: (evicted: Evicted) => Act,
): Steps<Evicted> {
  const evicted = yield* takeShopOut(dialect, order, streams)
  if (!order.dryRun) yield* appendAct(actOf(evicted), dialect.lastAuditNumberSql)
  return evicted
}

export function* renameStore(
  dialect: UpkeepDialect,
  renaming: { from: string; to: string },
  act: Act,
): Steps<{ tables: number; rows: number }> {
  const renamed = yield* renameRows(dialect, renaming)
  yield* appendAct(act, dialect.lastAuditNumberSql)
  return renamed
}

/** All tables or none; a dry run counts what would go. */
export function* purge(
  { lastAuditNumberSql }: Pick<UpkeepDialect, 'lastAuditNumberSql'>,
  order: PurgeOrder,
  streams: readonly Stream[],
  { dryRun }: { dryRun: boolean },
): Steps<Purged[]> {
  yield* run('SAVEPOINT purging')
  const purged = yield* removeOld(order, streams)
  if (dryRun) yield* run('ROLLBACK TO purging')
  else if (purged.some(({ rows }) => rows > 0))
    yield* appendAct(actNow('purge', { store: order.store, purged }), lastAuditNumberSql)
  return purged
}
