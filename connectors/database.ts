/**
 * The destination that is in use: the one file that names it, but for what the thread of an export
 * loads (`database-for-exports.ts`). Everything else knows the interfaces of
 * `connectors/destination/` and what stands here; `connectors/sqlite/` is entered by nobody
 * (`test/architecture/house.ts`). A second destination is a folder beside it that has all of this,
 * and a choice in this file.
 */

import type { OutboundStore } from './destination/outbound.ts'
import type { PushMemory } from './destination/push.ts'
import type { ComputedBooks } from './destination/shown-books.ts'
import type { Purged } from './destination/upkeep.ts'
import * as migrations from './sqlite/schema/migrate.ts'
import * as unread from './sqlite/schema/refuse-unread.ts'
import * as log from './sqlite/tables/audit-log.ts'
import * as outbound from './sqlite/tables/outbound.ts'
import * as shown from './sqlite/tables/shown-books.ts'
import * as byHand from './sqlite/upkeep/acts-by-hand.ts'
import type { ZoneChange } from './sqlite/upkeep/change-zone.ts'
import type { Evicted } from './sqlite/upkeep/evict-shop.ts'
import type { Stream } from './stream.ts'

/** What reads and writes: implementations of the interfaces in `connectors/destination/`. */
export * from './database-for-exports.ts'
export { openDestination } from './sqlite/destination.ts'
export type { SqliteDestination } from './sqlite/destination.ts'
export { openKeyShares } from './sqlite/tables/key-shares.ts'
export { openReadOnly } from './sqlite/read-only.ts'
export { readSaleTotals } from './sqlite/rows/audit-sales.ts'

/** The audit log, which commands write and verify. */
export type { AuditEntry } from './sql/audit-chain.ts'
export { actNow, userName } from './sql/audit-chain.ts'
export { appendAct, isDatabase, readAuditLog, readEvidenceLog } from './sqlite/tables/audit-log.ts'

export { evidenceIn } from './sql/written-evidence.ts'

/** Upkeep by hand, each what one command does: a server would have ways of its own for some. */
export { asDatabaseError } from './sqlite/connection/sqlite-errors.ts'
export {
  copyDatabase,
  filesOf,
  moveAside,
  moveToNewName,
  refuseTaken,
} from './sqlite/upkeep/backup.ts'
export type { ZoneChange } from './sqlite/upkeep/change-zone.ts'
export type { Evicted } from './sqlite/upkeep/evict-shop.ts'
export { withPeople } from './sqlite/people/forget-people.ts'
export type { PeopleToForget } from './sqlite/people/forget-people.ts'
export type { ForgottenTraces } from './sqlite/people/forget-member.ts'
export { forgottenOnlyIn } from './sqlite/people/forgotten.ts'
export { giveNewIdentity } from './sqlite/upkeep/new-identity.ts'
export { markRestored } from './sqlite/upkeep/mark-restored.ts'
export { damageError, readDamage, readInconsistentRows } from './sqlite/upkeep/integrity.ts'
export type { InconsistentRows } from './sqlite/upkeep/integrity.ts'
export { readMissing } from './sqlite/upkeep/missing.ts'
export type { Missing } from './sqlite/upkeep/missing.ts'
export { migrate } from './sqlite/schema/migrate.ts'
export { overwriteFreed } from './sqlite/schema/overwrite-freed.ts'
export { checkAfterUncleanEnd } from './sqlite/upkeep/unclean-end.ts'

/** What somebody does by hand, with its act in the audit log. */
export const purge = async (...asked: Parameters<typeof byHand.purge>): Promise<Purged[]> =>
  byHand.purge(...asked)
export const changeZone = async (
  ...asked: Parameters<typeof byHand.changeZone>
): Promise<ZoneChange> => byHand.changeZone(...asked)
export const evictShop = async (...asked: Parameters<typeof byHand.evictShop>): Promise<Evicted> =>
  byHand.evictShop(...asked)
export const renameStore = async (
  ...asked: Parameters<typeof byHand.renameStore>
): Promise<{ tables: number; rows: number }> => byHand.renameStore(...asked)

/** A connection of its own each. */
export const openOutboundStore = async (database: string): Promise<OutboundStore> =>
  outbound.openOutboundStore(database)
export const openPushMemory = async (database: string): Promise<PushMemory> =>
  outbound.openPushMemory(database)

/** The views of the books are up to date with every reading up to this one. */
export const rememberRefresh = async (
  database: string,
  refreshed: Pick<ComputedBooks, 'books' | 'store' | 'batch'>,
): Promise<void> => shown.rememberRefresh(database, refreshed)

/** A database of a version that kept no audit log yet has none until it is brought up to date. */
export const keepsAuditLog = async (database: string): Promise<boolean> =>
  log.keepsAuditLog(database)

/** Fails with DATABASE_OLDER where its tables are not those of this version. */
export const refuseOlder = async (database: string, streams: readonly Stream[]): Promise<void> =>
  migrations.refuseOlder(database, streams)

/** Fails with NOT_PROVEN where nothing was read yet. */
export const refuseUnread = async (database: string): Promise<void> => unread.refuseUnread(database)
