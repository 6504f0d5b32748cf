import type Sqlite from 'better-sqlite3'
import { asDatabaseError } from './sqlite-errors.ts'

/**
 * All of `work` or nothing of it, where it is waited for: the library's own transactions take only
 * what ends at once.
 */
export async function inTransaction<Answer>(
  connection: Sqlite.Database,
  work: () => Promise<Answer>,
): Promise<Answer> {
  connection.exec('BEGIN IMMEDIATE')
  return thenCommit(connection, work)
}

/** The same in a transaction that was begun. */
export async function thenCommit<Answer>(
  connection: Sqlite.Database,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await work()
    connection.exec('COMMIT')
    return answer
  } catch (cause) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw asDatabaseError(connection.name, cause)
  }
}
