import type { DatabaseKind } from '../database-kind.ts'
import { isServerAddress } from '../server-address.ts'
import { readServerFacts } from './connection/server-facts.ts'
import { sqlOn, withConnections, withSql } from './connection/sql-connection.ts'
import { openCopySource } from './copy/source.ts'
import { openCopyTarget } from './copy/target.ts'
import { openDestination } from './destination.ts'
import { openReadOnly } from './read-only.ts'
import { create, createSql } from './schema/create.ts'
import { STEPS_TABLE, hasTable } from './schema/existing-schema.ts'
import { migrate, refuseOlder } from './schema/migrate.ts'
import { refuseUnfit } from './schema/refuse-unfit.ts'
import { refuseUnread } from './schema/refuse-unread.ts'
import { appendAct, readLog } from './tables/audit-log.ts'
import { readOrMakeSecret, readSecret } from './tables/kept-secrets.ts'
import { openKeyShares } from './tables/key-shares.ts'
import { openOutboundStore, openPushMemory } from './tables/outbound.ts'
import { readSaleTotals } from './tables/sale-totals.ts'
import { rememberRefresh } from './tables/shown-books.ts'
import * as byHand from './upkeep/acts-by-hand.ts'
import { damageError, readDamage, readInconsistentRows } from './upkeep/integrity.ts'
import { readMissing } from './upkeep/missing.ts'
import { overwriteFreed } from './upkeep/overwrite-freed.ts'

/** A schema of a PostgreSQL server; the database is its address. */
export const postgres: DatabaseKind = {
  isThere: address => withSql(address, sql => hasTable(sql, STEPS_TABLE)),
  isDatabase: async address => isServerAddress(address),
  migrate: (address, streams) =>
    withConnections(address, connections => migrate(connections, streams)),
  create: (address, streams) =>
    withConnections(address, connections => create(connections, address, streams)),
  createSql: async (address, streams) => createSql(address, streams),
  refuseUnfit: address =>
    withConnections(address, connections => refuseUnfit(sqlOn(connections), connections.place)),
  readServerFacts: address => withSql(address, readServerFacts),
  refuseOlder: (address, streams) =>
    withConnections(address, connections =>
      refuseOlder(sqlOn(connections), connections.place, streams),
    ),
  refuseUnread: address =>
    withConnections(address, connections => refuseUnread(sqlOn(connections), connections.place)),

  openCopySource,
  openCopyTarget,

  openDestination,
  openReadOnly,
  readOrMakeSecret,
  readSecret,
  openOutboundStore: async (...asked) => openOutboundStore(...asked),
  openPushMemory: async address => openPushMemory(address),
  openKeyShares: async ({ database }) => openKeyShares(database),

  appendAct,
  readLog,

  rememberRefresh,
  readSaleTotals,

  purge: byHand.purge,
  alone: byHand.alone,
  withPeople: byHand.withPeople,
  overwriteFreed,

  readDamage,
  readMissing,
  readInconsistentRows,
  damageError: async address => damageError(address),
  remedyByBackup: async () =>
    "bring the schema back from the server's own backup (pg_restore, point in time)",
  // A server looks after itself when it starts again.
  checkAfterUncleanEnd: async () => {},
}
