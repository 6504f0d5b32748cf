import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { asDatabaseError } from './sqlite-errors.ts'

/** The large commit of a window may hold the database; no heartbeat waits for it. */
const BUSY_FOR_MS = 120_000
const LOOK_AGAIN_MS = 50

/** For a connection that writes on the main thread: SQLite's own waiting would hold it up. */
export function neverWaiting(connection: Sqlite.Database): Sqlite.Database {
  connection.pragma('busy_timeout = 0')
  return connection
}

/**
 * Writes, and waits while another connection does, without holding up this thread; for a connection
 * that is `neverWaiting`. Fails as the database's errors do.
 */
export async function whenFree<Answer>(path: string, action: () => Answer): Promise<Answer> {
  const untilMs = performance.now() + BUSY_FOR_MS
  for (;;) {
    try {
      return action()
    } catch (cause) {
      const isBusy = cause instanceof Sqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > untilMs) throw asDatabaseError(path, cause)
      await pause(LOOK_AGAIN_MS)
    }
  }
}
