import { DatabaseError } from '../../../errors.ts'
import { quoteName as quote } from '../../quote.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { withConnections } from '../connection/with-connections.ts'

/** Whoever reads a table is waited for so long; a long export reads for longer. */
const PATIENCE = '10s'

/**
 * Writes our tables anew, so that no file of the server holds what was deleted from them before.
 * False where something keeps it from that: who uses a table, who looks at an earlier state of the
 * database, or a role that does not own the tables. What the server keeps apart is its own: the log
 * (WAL) and its archive until they are recycled, standbys until they have followed, and backups for
 * as long as they are kept.
 */
export const overwriteFreed = (address: string): Promise<boolean> =>
  withConnections(address, async connections => {
    const sql = sqlOn(connections)
    try {
      await sql.run(`SET lock_timeout = '${PATIENCE}'`)
      const tables = await sql.all<{ name: string; isOurs: boolean }>(TABLES)
      const { count } = (await sql.all<{ count: number }>(LOOKING))[0]!
      if (tables.some(({ isOurs }) => !isOurs)) return false
      for (const { name } of tables) await sql.run(`VACUUM (FULL) ${quote(name)}`)
      return count === 0
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

/** Others whose snapshot may be older than what was deleted: their rows are copied, too. */
const LOOKING = `
  SELECT count(*) AS count FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL`
