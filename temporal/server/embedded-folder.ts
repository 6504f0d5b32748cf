import { dirname, join } from 'node:path'
import { isFileLocked } from '../../file-lock.ts'
import { readServerRecord, serverFolder } from './server-folder.ts'

/**
 * Where the embedded server keeps its files: beside the database, so commands on the same database
 * share one server.
 */
export const embeddedFolder = (database: string): string => join(dirname(database), 'temporal')

/**
 * Whether a process works with the embedded server of this database, in whichever container: its
 * keeper stays no longer than its users. Every user is a worker, except for a `schedule` command in
 * its moment.
 */
export const isEmbeddedInUse = (database: string): boolean =>
  isFileLocked(serverFolder(embeddedFolder(database)).lock)

/** Where the embedded server of this database is said to answer; undefined: nobody started one. */
export const embeddedAddress = (database: string): string | undefined =>
  readServerRecord(serverFolder(embeddedFolder(database)))?.address
