import { setTimeout as pause } from 'node:timers/promises'
import type Sqlite from 'better-sqlite3'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import { asDatabaseError, isBusy } from './sqlite-errors.ts'

const LOOK_AGAIN_MS = 50

/** For a connection that writes on the main thread: SQLite's own waiting would hold it up. */
export function failFastWhenBusy(connection: Sqlite.Database): Sqlite.Database {
  connection.pragma('busy_timeout = 0')
  return connection
}

/**
 * Writes, and waits while another connection does, without holding up this thread; for a connection
 * that is `failFastWhenBusy`. Fails as the database's errors do.
 */
export async function retryWhileBusy<Answer>(path: string, action: () => Answer): Promise<Answer> {
  const untilMs = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return action()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > untilMs) throw asDatabaseError(path, cause)
      await pause(LOOK_AGAIN_MS)
    }
  }
}
