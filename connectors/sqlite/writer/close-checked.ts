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
export function emptyLog(database: Database.Database): void {
  const timeoutMs = database.pragma('busy_timeout', { simple: true }) as number
  try {
    database.pragma(`busy_timeout = ${CHECKPOINT_MS}`)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk, say: the rows are safe in the log, and no work fails for its end.
  } finally {
    database.pragma(`busy_timeout = ${timeoutMs}`)
  }
}
