/**
 * The destinations that there are, and which one a database is: the one file that names them, but
 * for what the thread of an export loads (`database-for-exports.ts`). Everything else knows the
 * interfaces of `connectors/destination/` and `DatabaseKind`; the folders of the kinds are entered
 * by nobody (`test/architecture/house.ts`).
 */

import { closing } from '../closing.ts'
import type { Closable, Closing } from '../closing.ts'
import type { DatabaseKind } from './database-kind.ts'
import type { EvidenceLog } from './destination/written-evidence.ts'
import { isServerAddress } from './server-address.ts'
import { logIn } from './sql/audit-log.ts'
import { evidenceLogIn } from './sql/evidence-log.ts'
import { sqlite } from './sqlite/kind.ts'

/** What reads and writes for exports: implementations of the same interfaces. */
export * from './database-for-exports.ts'

/** Who has no server loads nothing that speaks with one. */
const kindOf = async (database: string): Promise<DatabaseKind> =>
  isServerAddress(database) ? (await import('./postgres/kind.ts')).postgres : sqlite

/** The method of the kind that the database in the first parameter is of. */
const of = <Name extends keyof DatabaseKind>(name: Name): DatabaseKind[Name] =>
  (async (which: string | { database: string }, ...rest: unknown[]) => {
    const kind = await kindOf(typeof which === 'string' ? which : which.database)
    const method = kind[name] as (...asked: unknown[]) => Promise<unknown>
    return method(which, ...rest)
  }) as DatabaseKind[Name]

/** What it opens may be closed by the block that opened it. */
const opener =
  <Asked extends unknown[], Opened extends Closable>(open: (...asked: Asked) => Promise<Opened>) =>
  async (...asked: Asked): Promise<Closing<Opened>> =>
    closing(await open(...asked))

export const isThere = of('isThere')
export const isDatabase = of('isDatabase')
export const migrate = of('migrate')
export const create = of('create')
export const createSql = of('createSql')
export const refuseUnfit = of('refuseUnfit')
export const readServerFacts = of('readServerFacts')
export const refuseOlder = of('refuseOlder')
export const refuseUnread = of('refuseUnread')

export const openCopySource = of('openCopySource')
export const openCopyTarget = of('openCopyTarget')

export const openDestination = opener(of('openDestination'))
export const openReadOnly = opener(of('openReadOnly'))
export const readOrMakeSecret = of('readOrMakeSecret')
export const readSecret = of('readSecret')
export const openOutboundStore = opener(of('openOutboundStore'))
export const openPushMemory = opener(of('openPushMemory'))
export const openKeyShares = of('openKeyShares')

/** The audit log, which commands write and verify. */
export type { AuditEntry } from './sql/audit-chain.ts'
export { actNow, userName } from './sql/audit-chain.ts'
export { evidenceIn } from './sql/written-evidence.ts'
export const appendAct = of('appendAct')
const readLog = of('readLog')
export const keepsAuditLog = async (database: string): Promise<boolean> =>
  (await readLog(database, async () => true)) ?? false
/** The whole log, oldest first, and what is wrong with it. */
export const readAuditLog = async (database: string): ReturnType<typeof logIn> =>
  (await readLog(database, logIn)) ?? { entries: [], breaks: [] }
/** What it vouches for, and what is wrong with it and with the rows that it tells of. */
export const readEvidenceLog = async (database: string): Promise<EvidenceLog> =>
  (await readLog(database, evidenceLogIn)) ?? { heads: [], written: [], breaks: [] }

export const rememberRefresh = of('rememberRefresh')
export const readSaleTotals = of('readSaleTotals')

/** Upkeep by hand, each what one command does. */
export type {
  Evicted,
  ForgottenTraces,
  InconsistentRows,
  Missing,
  PeopleToForget,
  ZoneChange,
} from './sql/by-hand.ts'
export { changeZone } from './sql/upkeep/change-zone.ts'
export { evictShop } from './sql/upkeep/evict-shop.ts'
export { renameStore } from './sql/upkeep/rename-store.ts'
export const purge = of('purge')
export const alone = of('alone')
export const withPeople = of('withPeople')
export const overwriteFreed = of('overwriteFreed')
export const readDamage = of('readDamage')
export const readMissing = of('readMissing')
export const readInconsistentRows = of('readInconsistentRows')
export const damageError = of('damageError')
export const remedyByBackup = of('remedyByBackup')
export const checkAfterUncleanEnd = of('checkAfterUncleanEnd')

/** What this machine keeps beside, and backups: files of SQLite, whatever the destination is. */
export { asDatabaseError } from './sqlite/connection/sqlite-errors.ts'
export { copyDatabase, moveAside, moveToNewName, refuseTaken } from './sqlite/upkeep/backup.ts'
export { forgottenOnlyIn } from './sqlite/upkeep/forget-people.ts'
export { giveNewIdentity } from './sqlite/upkeep/backup.ts'
export { markRestored } from './sqlite/upkeep/mark-restored.ts'
