import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { EvidenceLog } from '../../destination/written-evidence.ts'
import type { Act, AuditEntry } from '../../sql/audit-chain.ts'
import * as log from '../../sql/audit-log.ts'
import type { SqlConnection } from '../../sql/connection.ts'
import { evidenceLogIn } from '../../sql/evidence-log.ts'
import { openConnection, readDatabase } from '../connection/open-connection.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'

/**
 * Adds an act to the log, on the disk before this resolves. The tables are up to date (`migrate`).
 */
export const appendAct = (path: string, act: Act): Promise<void> =>
  withSql(path, {}, sql => sql.write(inside => log.appendTo(inside, act)))

/** The whole log, oldest first, and what is wrong with it. */
export const readAuditLog = async (
  path: string,
): Promise<{ entries: AuditEntry[]; breaks: string[] }> =>
  keepsAuditLog(path) ? withSql(path, READ, log.logIn) : { entries: [], breaks: [] }

/**
 * What the audit log of a database vouches for, and what is wrong with it: broken links of its
 * chain, and rows of plans, approvals, receipts and closed months that are not those of the log.
 */
export const readEvidenceLog = async (path: string): Promise<EvidenceLog> =>
  keepsAuditLog(path) ? withSql(path, READ, evidenceLogIn) : { heads: [], written: [], breaks: [] }

const READ = { readonly: true }

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

/**
 * A database of a version that kept none yet, which nobody has opened with this one, has no log.
 */
export const keepsAuditLog = (path: string): boolean =>
  readDatabase(
    path,
    connection =>
      connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'audit_log'").get() !==
      undefined,
  )

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
