import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { askDisk, codeOf, diskError } from './disk.ts'
import { DatabaseError } from './errors.ts'

const RETRY_MS = 50

/**
 * Takes the lock at `path`, in a folder that exists, if nobody has it (for so long); the returned
 * function gives it back.
 *
 * The lock is SQLite's own lock on an empty file, which the system drops when its holder dies,
 * however it dies. A file that holds a pid would have to be found stale and be broken by somebody,
 * and two who break it at once both win. The file stays behind, empty: deleting it would let two
 * holders lock two different files, unless another lock keeps them apart meanwhile.
 */
export function tryFileLock(path: string, timeoutMs = 0): (() => void) | undefined {
  const database = openLock(path, { timeout: timeoutMs })
  try {
    // Without this SQLite would write a journal file, even though nothing is ever changed: not on a
    // full disk.
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw cannotLock(path, error)
  }
  return () => database.close()
}

/** Whether somebody has the lock. Whoever wants it at this very moment has to try again. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const database = openLock(path, { readonly: true })
  try {
    database.prepare('SELECT 1 FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw cannotLock(path, error)
  } finally {
    database.close()
  }
}

function openLock(path: string, options: Database.Options = {}): Database.Database {
  try {
    return new Database(path, { timeout: 0, ...options })
  } catch (error) {
    throw cannotLock(path, error)
  }
}

function cannotLock(path: string, cause: unknown): DatabaseError {
  const code = codeOf(cause)
  return (
    diskError(dirname(path), askDisk(path) ?? code, { kept: 'nothing was begun', cause }) ??
    new DatabaseError('DATABASE_BROKEN', `the lock file ${path} cannot be made (${code})`, {
      cause,
      remedy:
        'Check that its disk has space, and that its folder exists and may be written; ' +
        'then run the same command again.',
    })
  )
}

/**
 * Runs `work` alone among all processes that use this lock. `onWait` hears about waiting: after a
 * second, then every 15 s.
 */
export async function withFileLock<T>(
  path: string,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> {
  let nextReport = Date.now() + 1_000
  let unlock = tryFileLock(path)
  while (unlock === undefined) {
    await delay(RETRY_MS)
    if (Date.now() >= nextReport) {
      onWait()
      nextReport = Date.now() + 15_000
    }
    unlock = tryFileLock(path)
  }
  try {
    return await work()
  } finally {
    unlock()
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return (
    typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
  )
}
