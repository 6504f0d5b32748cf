import { existsSync } from 'node:fs'
import type { DatabaseKind } from '../database-kind.ts'
import { readOrMakeSecretBeside, readSecretBeside } from '../local/kept-secrets.ts'
import { openKeyShares } from '../local/key-shares.ts'
import { userName } from '../sql/audit-chain.ts'
import { openCopySource } from './copy/source.ts'
import { openCopyTarget } from './copy/target.ts'
import { openDestination } from './destination.ts'
import { openReadOnly } from './read-only.ts'
import { migrate, refuseOlder } from './schema/migrate.ts'
import { refuseUnread } from './schema/refuse-unread.ts'
import { appendAct, isDatabase, readLog } from './tables/audit-log.ts'
import { openOutboundStore, openPushMemory } from './tables/outbound.ts'
import { readSaleTotals } from './tables/sale-totals.ts'
import { rememberRefresh } from './tables/shown-books.ts'
import * as byHand from './upkeep/acts-by-hand.ts'
import { withPeople } from './upkeep/forget-people.ts'
import { damageError, readDamage, readInconsistentRows } from './upkeep/integrity.ts'
import { readMissing } from './upkeep/missing.ts'
import { overwriteFreed } from './upkeep/overwrite-freed.ts'
import { checkAfterUncleanEnd } from './upkeep/unclean-end.ts'

/** A file of SQLite; the database is its path. */
export const sqlite: DatabaseKind = {
  isThere: async path => existsSync(path),
  isDatabase: async path => isDatabase(path),
  migrate,
  async create(path, streams) {
    await migrate(path, streams)
    return { place: path, owner: userName(), made: [], roles: [] }
  },
  createSql: async () => undefined,
  // A file asks for no more than the disk allows, which says so by itself.
  refuseUnfit: async () => {},
  readServerFacts: async () => undefined,
  refuseOlder: async (path, streams) => refuseOlder(path, streams),
  refuseUnread: async path => refuseUnread(path),

  openCopySource: async path => openCopySource(path),
  openCopyTarget,

  openDestination: ({ database }, streams) => openDestination(database, streams),
  openReadOnly,
  readOrMakeSecret: async ({ localFiles }, secret) => readOrMakeSecretBeside(localFiles, secret),
  readSecret: async ({ localFiles }, secret) => readSecretBeside(localFiles, secret),
  openOutboundStore: async (...asked) => openOutboundStore(...asked),
  openPushMemory: async path => openPushMemory(path),
  openKeyShares: async ({ localFiles }) => openKeyShares(localFiles),

  appendAct,
  readLog,

  rememberRefresh: async (path, refreshed) => rememberRefresh(path, refreshed),
  readSaleTotals: async (path, store, fromMs) => readSaleTotals(path, store, fromMs),

  purge: async (...asked) => byHand.purge(...asked),
  alone: async (path, act) => byHand.alone(path, act),
  withPeople,
  overwriteFreed: async path => overwriteFreed(path),

  readDamage: async path => readDamage(path),
  readMissing,
  readInconsistentRows: async (path, streams) => readInconsistentRows(path, streams),
  damageError: async path => damageError(path),
  remedyByBackup: async () => 'put a backup in its place (tillage restore FILE --replace)',
  checkAfterUncleanEnd: async (path, onCheck) => checkAfterUncleanEnd(path, onCheck),
}
