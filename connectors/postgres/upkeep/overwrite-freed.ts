import { setTimeout } from 'node:timers/promises'
import { DatabaseError } from '../../../errors.ts'
import { quoteName as quote } from '../../quote.ts'
import type { Sql } from '../../sql/connection.ts'
import { sqlOn, withConnections } from '../connection/sql-connection.ts'

/** Whoever reads is waited for so long; a long export reads for longer. */
const PATIENCE_MS = 10_000
const BETWEEN_MS = 200

/**
 * Writes our tables anew, so that no file of the server holds what was deleted from them before.
 * False where something keeps it from that: who uses a table, who reads an earlier state of the
 * database, or a role that does not own the tables. What the server keeps apart is its own: the log
 * (WAL) and its archive until they are recycled, standbys until they have followed, and backups for
 * as long as they are kept.
 */
export const overwriteFreed = (address: string): Promise<boolean> =>
  withConnections(address, async connections => {
    const sql = sqlOn(connections)
    try {
      const tables = await sql.all<{ name: string; isOurs: boolean }>(TABLES)
      if (tables.some(({ isOurs }) => !isOurs) || !(await waitForReaders(sql))) return false
      await sql.run(`SET lock_timeout = ${PATIENCE_MS}`)
      for (const { name } of tables) await sql.run(`VACUUM (FULL) ${quote(name)}`)
      return true
    } catch (cause) {
      // What the tables hold is right all the same.
      if (cause instanceof DatabaseError) return false
      throw cause
    }
  })

/** The server only warns of tables that are not of this role, and goes on. */
const TABLES = `
  SELECT relname AS name, pg_has_role(relowner, 'USAGE') AS "isOurs"
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`

/** Who sees the database as it was before now keeps what was deleted: it would be copied, too. */
async function waitForReaders(sql: Sql): Promise<boolean> {
  const [now] = await sql.all<{ next: string }>(NEXT)
  const untilMs = Date.now() + PATIENCE_MS
  for (;;) {
    const [readers] = await sql.all<{ count: number }>(READERS, now)
    if (readers!.count === 0) return true
    if (Date.now() > untilMs) return false
    await setTimeout(BETWEEN_MS)
  }
}

const NEXT = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next'

const READERS = `
  SELECT count(*) AS count
  FROM pg_stat_activity, (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next) now
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND age(backend_xmin) > now.next - CAST(@next AS bigint)`
