import type Sqlite from 'better-sqlite3'
import type { Act } from '../../sql/audit-chain.ts'
import { appendAct } from '../../sql/audit-log.ts'
import { LAST_AUDIT_NUMBER, stepsOn } from '../connection/sql-connection.ts'

/** Adds an act inside a transaction of SQLite's own, of what it tells of. */
export const appendTo = (connection: Sqlite.Database, act: Act): void =>
  stepsOn(connection)(appendAct(act, LAST_AUDIT_NUMBER))
