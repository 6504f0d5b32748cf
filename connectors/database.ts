/**
 * The destination that is in use: the one file that names it, but for what the thread of an export
 * loads (`database-for-exports.ts`). Everything else knows the interfaces of
 * `connectors/destination/` and what stands here; `connectors/sqlite/` is entered by nobody
 * (`test/architecture/house.ts`). A second destination is a folder beside it that has all of this,
 * and a choice in this file.
 */

/** What reads and writes: implementations of the interfaces in `connectors/destination/`. */
export * from './database-for-exports.ts'
export { openDestination } from './sqlite/destination.ts'
export type { SqliteDestination } from './sqlite/destination.ts'
export { openKeyShares } from './sqlite/tables/key-shares.ts'
export { openOutboundStore } from './sqlite/tables/outbound.ts'
export { openPushPlace } from './sqlite/tables/push.ts'
export { openReadOnly } from './sqlite/read-only.ts'
export { rememberRefresh } from './sqlite/tables/shown-books.ts'
export { readSaleTotals } from './sqlite/rows/audit-sales.ts'

/** The audit log, which commands write and verify. */
export type { AuditEntry } from './sqlite/tables/audit-chain.ts'
export {
  actNow,
  appendAct,
  appendTo,
  isDatabase,
  keepsAuditLog,
  readAuditLog,
  userName,
} from './sqlite/tables/audit-log.ts'

export { readEvidenceLog } from './sqlite/tables/evidence-log.ts'
export { evidenceIn } from './sqlite/tables/written-evidence.ts'

/** Upkeep by hand, each what one command does: a server would have ways of its own for some. */
export { asDatabaseError } from './sqlite/connection/sqlite-errors.ts'
export {
  copyDatabase,
  filesOf,
  moveAside,
  moveToNewName,
  refuseTaken,
} from './sqlite/upkeep/backup.ts'
export { changeZone, previewZoneChange } from './sqlite/upkeep/change-zone.ts'
export type { ZoneChange } from './sqlite/upkeep/change-zone.ts'
export { evictShop } from './sqlite/upkeep/evict-shop.ts'
export type { Evicted } from './sqlite/upkeep/evict-shop.ts'
export { openConnection } from './sqlite/connection/open-connection.ts'
export { withExclusiveDatabase } from './sqlite/connection/exclusive.ts'
export { forgetMember, rememberForgotten } from './sqlite/people/forget-member.ts'
export type { ForgottenTraces } from './sqlite/people/forget-member.ts'
export { forgottenOnlyIn } from './sqlite/people/forgotten.ts'
export { giveNewIdentity } from './sqlite/upkeep/new-identity.ts'
export { markRestored } from './sqlite/upkeep/mark-restored.ts'
export { damageError, readDamage, readInconsistentRows } from './sqlite/upkeep/integrity.ts'
export type { InconsistentRows } from './sqlite/upkeep/integrity.ts'
export { readMissing } from './sqlite/upkeep/missing.ts'
export type { Missing } from './sqlite/upkeep/missing.ts'
export { migrate, refuseOlder } from './sqlite/schema/migrate.ts'
export { overwriteFreed } from './sqlite/schema/overwrite-freed.ts'
export { purge } from './sqlite/upkeep/purge.ts'
export { refuseUnread } from './sqlite/schema/refuse-unread.ts'
export { renameStore } from './sqlite/upkeep/rename-store.ts'
export { checkAfterUncleanEnd } from './sqlite/upkeep/unclean-end.ts'
