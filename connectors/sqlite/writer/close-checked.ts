import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'

/** Whoever reads just now is not waited for longer; the next one who closes does the same. */
const CHECKPOINT_MS = 2_000

/**
 * After an orderly end all rows are in the database file itself, so that a copy of that one file is
 * not empty: SQLite would leave them in the log where a reader closes last.
 */
export function closeChecked(database: Database.Database): void {
  try {
    emptyLog(database)
  } finally {
    database.close()
  }
}

/** Waits for readers, but not for long. Never fails. */
export const emptyLog = (database: Database.Database): void => truncate(database, CHECKPOINT_MS)

/**
 * Copies what can be copied, and takes the log's space back where nobody reads an older state: a
 * reader that stays for hours makes the log longer, and must not leave it so.
 */
export const cutLog = (database: Database.Database): void => truncate(database, 0)

function truncate(database: Database.Database, waitMs: number): void {
  const timeoutMs = database.pragma('busy_timeout', { simple: true }) as number
  try {
    database.pragma(`busy_timeout = ${waitMs}`)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk, say: the rows are safe in the log, and no work fails for its end.
  } finally {
    database.pragma(`busy_timeout = ${timeoutMs}`)
  }
}

/** Bytes of the log on the disk. */
export const logBytesOf = (path: string): number =>
  statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
