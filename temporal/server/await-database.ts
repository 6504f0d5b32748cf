import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { DatabaseError } from '../../errors.ts'
import type { ServerFolder } from './server-folder.ts'
import { hasUsersElsewhere, removeUsersElsewhere } from './users.ts'

/** A container that has just been ended takes a moment to let go. */
const GRACE_MS = 5_000
const LOOK_MS = 100

/**
 * Waits until nobody has the database of the folder's server, whose record names nobody who runs
 * here. Pids tell nothing of another container on the same folder; SQLite's own lock does, which
 * the system drops when its holder dies.
 */
export async function awaitDatabase(files: ServerFolder, graceMs = GRACE_MS): Promise<void> {
  const deadline = Date.now() + graceMs
  while (isInUse(files.database)) {
    if (Date.now() > deadline) throw inUseElsewhere(files)
    await delay(LOOK_MS)
  }
  removeUsersElsewhere(files)
}

/** Whether somebody in another container works with the folder's server. */
export const isUsedElsewhere = (files: ServerFolder): boolean =>
  hasUsersElsewhere(files) && isInUse(files.database)

/** A server in WAL mode shares a lock as long as it has the file open. */
function isInUse(path: string): boolean {
  let database: Database.Database | undefined
  try {
    database = new Database(path, { fileMustExist: true, timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    // What is not there or damaged is for the server to say.
    return (error as { code?: unknown }).code === 'SQLITE_BUSY'
  } finally {
    database?.close()
  }
}

const inUseElsewhere = ({ folder, database }: ServerFolder): DatabaseError =>
  new DatabaseError(
    'DATABASE_BUSY',
    `another Temporal server works on ${database}, and not one of this machine or container: ` +
      "two of them would break each other's workflows, so none was started",
    {
      remedy:
        `End the other container or machine that uses ${folder}, or give this one a database ` +
        'in a folder of its own. Several workers share a Temporal server that runs by itself: ' +
        'temporal: { address } in tillage.yaml.',
    },
  )
