import { dirname, join } from 'node:path'
import { isFileLocked } from '../../file-lock.ts'
import { readServerRecord, serverFolder } from './server-folder.ts'

/**
 * Where the embedded server keeps its files: beside the database, so commands on the same database
 * share one server.
 */
export const embeddedFolder = (localFiles: string): string => join(dirname(localFiles), 'temporal')

/**
 * Whether a process works with the embedded server of this database, in whichever container: its
 * keeper stays no longer than its users. Every user is a worker, except for a `schedule` command in
 * its moment.
 */
export const isEmbeddedInUse = (localFiles: string): boolean =>
  isFileLocked(serverFolder(embeddedFolder(localFiles)).lock)

/** Where the embedded server of this database is said to answer; undefined: nobody started one. */
export const embeddedAddress = (localFiles: string): string | undefined =>
  readServerRecord(serverFolder(embeddedFolder(localFiles)))?.address
