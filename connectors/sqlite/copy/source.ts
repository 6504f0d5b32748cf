import Sqlite from 'better-sqlite3'
import { DatabaseError } from '../../../errors.ts'
import type { CopySource } from '../../copy/ends.ts'
import { markMoved } from '../../copy/marks.ts'
import { quoteName as quote } from '../../quote.ts'
import { databaseInUse } from '../../sql/database-in-use.ts'
import { movedPlace } from '../connection/open-connection.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { readerOf } from './reader.ts'

/**
 * The file, alone: fails with DATABASE_BUSY where another process has it open. What was marked is
 * committed when that resolves.
 */
export function openCopySource(path: string): CopySource {
  const connection = new Sqlite(path, { timeout: 1_000, fileMustExist: true })
  try {
    // Leaving WAL takes a lock that SQLite gives only to the one who has the database alone.
    connection.pragma('journal_mode = DELETE')
    connection.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    connection.close()
    const error = asDatabaseError(path, cause)
    throw error instanceof DatabaseError && error.code === 'DATABASE_BUSY'
      ? databaseInUse(path, cause)
      : error
  }
  return {
    ...readerOf(connection, path),
    movedTo: movedPlace(connection),
    lacksNul: false,
    rawOf: async (table, rid) =>
      connection
        .prepare<[string], string>(`SELECT raw FROM ${quote(table)} WHERE rid = CAST(? AS INTEGER)`)
        .pluck()
        .get(rid),
    async markMoved(place) {
      await markMoved(statementsOn(connection), place)
      connection.exec('COMMIT')
    },
    async close() {
      if (connection.inTransaction) connection.exec('ROLLBACK')
      connection.close()
    },
  }
}
