import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Act } from '../../sql/audit-chain.ts'
import { appendTo } from '../../sql/audit-log.ts'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import { openConnection } from '../connection/open-connection.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'

/**
 * Adds an act to the log, on the disk before this resolves. The tables are up to date (`migrate`).
 */
export const appendAct = (path: string, act: Act): Promise<void> =>
  withSql(path, {}, sql => sql.write(inside => appendTo(inside, act)))

/** Nothing is read where a version kept none yet: nobody has opened the database with this one. */
export const readLog = <Answer>(
  path: string,
  read: (sql: Sql) => Promise<Answer>,
): Promise<Answer | undefined> =>
  withSql(path, { readonly: true }, async sql => {
    const [kept] = await sql.all("SELECT 1 FROM sqlite_schema WHERE name = 'audit_log'")
    return kept === undefined ? undefined : read(sql)
  })

async function withSql<Answer>(
  path: string,
  options: { readonly?: boolean },
  work: (sql: SqlConnection) => Promise<Answer>,
): Promise<Answer> {
  try {
    const sql = sqlOn(openConnection(path, options))
    try {
      return await work(sql)
    } finally {
      await sql.close()
    }
  } catch (cause) {
    throw asDatabaseError(path, cause)
  }
}

/** Whether a path is a SQLite database, by what such files begin with. */
export function isDatabase(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(16)
    return (
      readSync(file, start, 0, 16, 0) === 16 && start.toString('latin1') === 'SQLite format 3\0'
    )
  } finally {
    closeSync(file)
  }
}
