import Sqlite from 'better-sqlite3'
import { DatabaseError } from '../../../errors.ts'
import { databaseInUse } from '../../sql/database-in-use.ts'
import { asDatabaseError } from './sqlite-errors.ts'

/**
 * Opens a database that nobody else has open, and begins a transaction. Fails with DATABASE_BUSY
 * where another process has it open; nobody can open it meanwhile.
 */
export function openAlone(path: string): Sqlite.Database {
  const connection = new Sqlite(path, { timeout: 1_000, fileMustExist: true })
  try {
    // Leaving WAL takes a lock that SQLite gives only to the one who has the database alone.
    connection.pragma('journal_mode = DELETE')
    return connection.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    connection.close()
    const error = asDatabaseError(path, cause)
    throw error instanceof DatabaseError && error.code === 'DATABASE_BUSY'
      ? databaseInUse(path, cause)
      : error
  }
}

/**
 * Does something with a database that nobody else has open: what runs beside would go on under what
 * is no longer true. All of `work` is one transaction.
 */
export function withExclusiveDatabase<Answer>(
  path: string,
  work: (connection: Sqlite.Database) => Answer,
): Answer {
  const connection = openAlone(path)
  try {
    const answer = work(connection)
    connection.exec('COMMIT')
    return answer
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    // What was not committed has not happened. A WAL database again when it is opened next.
    connection.close()
  }
}
