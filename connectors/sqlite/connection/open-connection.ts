import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { makeFolder } from '../../../disk.ts'
import { MOVED, movedError } from '../../copy/marks.ts'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import type { ReadOptions } from '../../destination/read-only.ts'
import { asDatabaseError, isBusy } from './sqlite-errors.ts'

/** A reader waits for nobody but who holds the whole file, and says so soon. */
const FIRST_READ_MS = 5_000
/** Between two tries where SQLite itself does not wait. */
const BUSY_PAUSE_MS = 10

/**
 * Of a database that is made anew: records of some kilobytes fill larger pages better, and SQLite
 * takes fewer steps to write them (decision 126).
 */
const PAGE_BYTES = 32_768
/** The log is copied into the database file when it is so long, and cut back to that afterwards. */
const LOG_BYTES = 67_108_864

/** Opens one connection. */
export function openConnection(
  path: string,
  { readonly: isReadonly = false, isPatient = true }: ReadOptions & { readonly?: boolean } = {},
): Sqlite.Database {
  try {
    return isReadonly ? openReader(path, isPatient) : openWriter(path)
  } catch (cause) {
    throw asDatabaseError(path, cause)
  }
}

function openReader(path: string, isPatient: boolean): Sqlite.Database {
  const connection = new Sqlite(path, { readonly: true, timeout: isPatient ? FIRST_READ_MS : 0 })
  try {
    connection.prepare('SELECT count(*) FROM sqlite_schema').get()
    if (isPatient) connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/**
 * With the pragmas that the measurements favour: large pages and a large WAL make loads of JSON
 * records a third faster; `synchronous=NORMAL` keeps a committed window through a crash of the
 * process.
 */
function openWriter(path: string): Sqlite.Database {
  makeFolder(dirname(path))
  const connection = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  connection.pragma(`page_size = ${PAGE_BYTES}`)
  useWriteAheadLog(connection)
  connection.pragma('synchronous = NORMAL')
  // What is replaced or removed stays in no freed page; loads cost the same (measured).
  connection.pragma('secure_delete = ON')
  const pageBytes = connection.pragma('page_size', { simple: true }) as number
  connection.pragma(`wal_autocheckpoint = ${Math.floor(LOG_BYTES / pageBytes)}`)
  connection.pragma('cache_size = -8192')
  connection.pragma(`journal_size_limit = ${LOG_BYTES}`)
  refuseMoved(connection)
  return connection
}

/** Whoever would write is told where everything is. */
function refuseMoved(connection: Sqlite.Database): void {
  const place = movedPlace(connection)
  if (place === undefined) return
  connection.close()
  throw movedError(connection.name, place)
}

export function movedPlace(connection: Sqlite.Database): string | undefined {
  const isMoved = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(MOVED)
  if (isMoved === undefined) return undefined
  return connection.prepare<[], string>(`SELECT place FROM ${MOVED}`).pluck().get()
}

/** One look at a database: opened for reading, and closed whatever comes of it. */
export function readDatabase<Answer>(
  path: string,
  read: (connection: Sqlite.Database) => Answer,
): Answer {
  const connection = openConnection(path, { readonly: true })
  try {
    return read(connection)
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}

/**
 * SQLite does not wait for other writers here as it does elsewhere: the change of journal begins
 * with a read, and a reader that wants to write is refused at once (its busy handler is not called
 * then, sqlite.org/c3ref/busy_handler.html). Two commands that start together on a new database
 * meet like that, so this waits as long as every other statement does.
 */
function useWriteAheadLog(connection: Sqlite.Database): void {
  const giveUpAtMs = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      connection.pragma('journal_mode = WAL')
      return
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > giveUpAtMs) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS)
    }
  }
}
