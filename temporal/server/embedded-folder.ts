import { dirname, join } from 'node:path'
import { isUsedElsewhere } from './await-database.ts'
import { readServerRecord, serverFolder } from './server-folder.ts'
import { countUsers } from './users.ts'

/**
 * Where the embedded server keeps its files: beside the database, so commands on the same database
 * share one server.
 */
export const embeddedFolder = (database: string): string => join(dirname(database), 'temporal')

/**
 * Whether a process works with the embedded server of this database: every one that does is a
 * worker, except for a `schedule` command in its moment. Also one in another container.
 */
export function isEmbeddedInUse(database: string): boolean {
  const files = serverFolder(embeddedFolder(database))
  return countUsers(files) > 0 || isUsedElsewhere(files)
}

/** Where the embedded server of this database is said to answer; undefined: nobody started one. */
export const embeddedAddress = (database: string): string | undefined =>
  readServerRecord(serverFolder(embeddedFolder(database)))?.address
