import Sqlite from 'better-sqlite3'
import type { TillageError } from '../../errors.ts'
import { openConnection } from './database.ts'
import { asDatabaseError } from './sqlite-errors.ts'

/**
 * What `PRAGMA integrity_check` says of the whole database, in SQLite's own words; none if all is
 * well. It reads every page and compares every index with its table. It cannot see a value that was
 * changed inside a record and stands in no index.
 */
export function readDamage(path: string): string[] {
  const connection = openConnection(path, { readonly: true })
  try {
    return checkIntegrity(connection)
  } finally {
    connection.close()
  }
}

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

/** The error that a damaged database is, with its remedy. */
export const damageError = (path: string): TillageError =>
  asDatabaseError(
    path,
    new Sqlite.SqliteError('integrity_check found damage', 'SQLITE_CORRUPT'),
  ) as TillageError
