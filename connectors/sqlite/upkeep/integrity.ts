import Sqlite from 'better-sqlite3'
import type { TillageError } from '../../../errors.ts'
import type { InconsistentRows } from '../../sql/by-hand.ts'
import { inconsistentRows } from '../../sql/rows/kept-records.ts'
import type { Stream } from '../../stream.ts'
import { readDatabase } from '../connection/open-connection.ts'
import { atOnce } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { recordStaging } from '../rows/staged-rows.ts'

/**
 * What `PRAGMA integrity_check` says of the whole database, in SQLite's own words; none if all is
 * well. It reads every page and compares every index with its table. It cannot see a value that was
 * changed inside a record and stands in no index.
 */
export const readDamage = (path: string): string[] => readDatabase(path, checkIntegrity)

/** The same on an open connection. */
export function checkIntegrity(connection: Sqlite.Database): string[] {
  try {
    const said = connection.prepare<[], string>('PRAGMA integrity_check').pluck().all()
    return said.flatMap(text => text.split('\n')).filter(line => line !== 'ok')
  } catch (error) {
    // Some damage does not get into the list but ends the check.
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_CORRUPT'))
      return [error.message]
    throw error
  }
}

/**
 * What SQLite's own check cannot see: a digit that was changed inside a value. Each row is compared
 * with the record that is kept of it, columns and lines; it says that the two differ, not which of
 * them is right.
 */
export function readInconsistentRows(path: string, streams: readonly Stream[]): InconsistentRows[] {
  return readDatabase(path, connection =>
    streams.flatMap(stream =>
      atOnce(connection, inconsistentRows(recordStaging(connection), stream)),
    ),
  )
}

/** The error that a damaged database is, with its remedy. */
export const damageError = (path: string): TillageError =>
  asDatabaseError(
    path,
    new Sqlite.SqliteError('integrity_check found damage', 'SQLITE_CORRUPT'),
  ) as TillageError
