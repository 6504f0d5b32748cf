import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { databaseFiles } from '../../../disk.ts'
import { DatabaseError, TillageError, UsageError } from '../../../errors.ts'
import { databaseInUse } from '../../sql/database-in-use.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { refuseUnknown } from '../schema/migrate.ts'
import { checkIntegrity } from './integrity.ts'

/** 4 MB of pages, after which the signal is asked. */
const PAGES_PER_STEP = 256

interface CopyWatch {
  signal: AbortSignal
  /** From 0 to 1. */
  progress(part: number): void
}

/** What is in a copy that was verified. */
interface Copy {
  windows: number
  bytes: number
}

/**
 * Copies a database that others may be writing into a new file, with SQLite's online backup, and
 * verifies the copy. One read transaction holds for all of it: the copy is the state of one moment,
 * and commits of others neither wait for it nor make it begin again. The copy is one file, without
 * a log beside it. Nothing remains of a copy that fails.
 */
export async function copyDatabase(from: string, to: string, watch: CopyWatch): Promise<Copy> {
  const source = openConnection(from, { readonly: true })
  try {
    source.exec('BEGIN')
    const windows = countWindows(from, source)
    refuseUnknown(source)
    try {
      closeSync(openSync(to, 'wx', 0o600))
      await source.backup(to, { progress: pages => nextStep(pages, watch) })
      verifyCopy(from, to, windows)
      return { windows, bytes: statSync(to).size }
    } catch (error) {
      // Whatever fails from here on is the disk of the copy, as long as the copy is on it.
      const failure = asDatabaseError(to, error)
      for (const path of databaseFiles(to)) rmSync(path, { force: true })
      throw failure
    }
  } catch (cause) {
    throw asDatabaseError(from, cause)
  } finally {
    source.close()
  }
}

/** The windows of the ledger; every database of ours has that table. */
function countWindows(path: string, connection: Sqlite.Database): number {
  const tables = connection
    .prepare<[], number>(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('windows', 'kysely_migration')",
    )
    .pluck()
  if (tables.get() !== 2)
    throw new UsageError(
      `${path} is a SQLite database, but none of Tillage`,
      'Name a file that tillage backup has written, or the database of a tillage.yaml.',
    )
  return connection.prepare<[], number>('SELECT count(*) FROM windows').pluck().get()!
}

function nextStep({ totalPages, remainingPages }: Sqlite.BackupMetadata, watch: CopyWatch): number {
  if (watch.signal.aborted)
    throw new TillageError(
      'INTERRUPTED',
      'stopped before the copy was done; nothing of it is left',
      {
        remedy: 'Run the same command again.',
      },
    )
  watch.progress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
  return PAGES_PER_STEP
}

/** Pages are copied as they are, so damage of the original is damage of the copy. */
function verifyCopy(from: string, to: string, expected: number): void {
  const copy = new Sqlite(to, { fileMustExist: true })
  try {
    copy.pragma('journal_mode = DELETE')
    const damage = checkIntegrity(copy)
    const windows = damage.length > 0 ? 0 : countWindows(to, copy)
    if (damage.length === 0 && windows === expected) return
    throw new DatabaseError(
      'DATABASE_BROKEN',
      damage.length > 0
        ? `the copy of ${from} is damaged, and was removed: ${damage[0]}`
        : `the copy of ${from} has ${windows} windows instead of ${expected}, and was removed`,
      {
        remedy:
          'tillage doctor --database says whether the original is damaged; if it is not, look at ' +
          'the disk that the copy was written to.',
      },
    )
  } finally {
    copy.close()
  }
}

/**
 * Gives a file its name; never in the place of another file. Disks without hard links can do it.
 */
export function moveToNewName(from: string, to: string): void {
  try {
    closeSync(openSync(to, 'wx', 0o600))
  } catch (error) {
    throw isCode(error, 'EEXIST') ? alreadyThere(to) : error
  }
  try {
    renameSync(from, to)
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}

/** Refuses what is there, and a folder that is not: it may be a disk that was not mounted. */
export function refuseTaken(path: string): void {
  if (existsSync(path)) throw alreadyThere(path)
  if (!existsSync(dirname(path)))
    throw new UsageError(`there is no folder ${dirname(path)}`, 'Make it, or mount its disk.')
}

const alreadyThere = (path: string): UsageError =>
  new UsageError(`${path} exists, and is never overwritten`, 'Name a new file.')

/**
 * Moves a database aside under this name, with what SQLite keeps beside it. Fails with
 * DATABASE_BUSY where another process has it open: that one would go on writing into the old file.
 * A damaged database is moved as it is.
 */
export function moveAside(path: string, to: string): void {
  closeLog(path)
  const moved = databaseFiles(to)
  for (const [at, file] of databaseFiles(path).entries())
    if (existsSync(file)) moveToNewName(file, moved[at]!)
}

/** Leaving WAL takes a lock that SQLite gives only to the one who has the database alone. */
function closeLog(path: string): void {
  if (!existsSync(path)) return
  const connection = new Sqlite(path, { timeout: 1_000 })
  try {
    connection.pragma('journal_mode = DELETE')
  } catch (cause) {
    const error = asDatabaseError(path, cause)
    if (!(error instanceof DatabaseError)) throw error
    if (error.code === 'DATABASE_BUSY') throw databaseInUse(path, cause)
    if (error.code !== 'DATABASE_BROKEN') throw error
  } finally {
    connection.close()
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/**
 * Makes another database of a copy, before it gets its name: what still runs for the first one is
 * not for the second. A copy of an older version gets its identity when it is opened.
 */
export function giveNewIdentity(path: string): void {
  const connection = new Sqlite(path, { fileMustExist: true })
  try {
    const hasOne = connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE name = 'database_identity'",
    )
    if (hasOne.get() !== undefined)
      connection.exec('UPDATE database_identity SET id = lower(hex(randomblob(8)))')
  } finally {
    connection.close()
  }
}
