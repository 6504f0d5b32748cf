import { statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { asDatabaseError, isBusy } from '../connection/sqlite-errors.ts'
import { damageError } from './integrity.ts'

/**
 * After a process that did not end in order (its log is still there, and nobody else has the
 * database open), every page is looked at before anything is written: a disk that failed with it
 * shows now and not in the books. Fails with DATABASE_BROKEN. `onCheck` hears that it takes time.
 */
export function checkAfterUncleanEnd(path: string, onCheck: () => void): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size === 0) return
  const connection = new Sqlite(path, { timeout: 0 })
  try {
    if (!isAlone(connection)) return
    onCheck()
    const said = connection.prepare<[], string>('PRAGMA quick_check(1)').pluck().get()
    if (said !== 'ok') throw damageError(path)
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    // A WAL database again when it is opened next.
    connection.close()
  }
}

/** Leaving WAL takes a lock that SQLite gives only to the one who has the database alone. */
function isAlone(connection: Sqlite.Database): boolean {
  try {
    connection.pragma('journal_mode = DELETE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/**
 * A reader that closes last leaves SQLite's log behind, which would look like an end that was not
 * in order. Where it cannot be taken away, or somebody else still uses it, it stays.
 */
export function closeInOrder(path: string): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size === 0) return
  try {
    const connection = new Sqlite(path, { timeout: 0, fileMustExist: true })
    // Only a connection that has looked at the database takes its log away.
    connection.pragma('user_version')
    connection.close()
  } catch {
    // A folder that may not be written, for one: reading it was no mistake.
  }
}
