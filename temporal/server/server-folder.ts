import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFileLocked } from '../../file-lock.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { DATABASE_NAME } from './server-arguments.ts'

/** The files of one data folder that belong to its Temporal server. */
export interface ServerFolder {
  readonly folder: string
  /** The workflow histories; everything else here can go. */
  readonly database: string
  /** There until the server has answered: its database may be half made, and nothing is in it. */
  readonly unanswered: string
  readonly log: string
  /** `ServerRecord`, there while a keeper is in charge; it alone writes it. */
  readonly record: string
  /** Held by the keeper for as long as it lives. */
  readonly lock: string
}

export function serverFolder(folder: string): ServerFolder {
  return {
    folder,
    database: join(folder, DATABASE_NAME),
    unanswered: join(folder, 'unanswered'),
    log: join(folder, 'temporal.log'),
    record: join(folder, 'server.json'),
    lock: join(folder, 'server.lock'),
  }
}

/** Where the server of a folder answers, and who keeps it. */
export interface ServerRecord {
  /** Of this keeper's time in charge: what it greets its users with. */
  id: string
  address: string
  port: number
  /** Of the web UI, where the command that started the server wanted one. */
  uiPort?: number
  /** Where the keeper takes its users' connections, on this machine's loopback. */
  keeperPort: number
  keeper: ProcessIdentity
  server: ProcessIdentity
  /** Where these processes are known by their pids (`identifySpace`). */
  space: string
}

/** What was written last, or undefined if there is none or it makes no sense. */
export function readServerRecord(files: ServerFolder): ServerRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(files.record, 'utf8')) as Partial<ServerRecord>
    const { id, address, port, keeperPort, keeper, server } = record
    const isWhole = [id, address, port, keeperPort, keeper?.pid, server?.pid].every(Boolean)
    return isWhole ? (record as ServerRecord) : undefined
  } catch {
    return undefined
  }
}

/** Replaces the record in one step, so that a reader sees the old one or the new one. */
export function writeServerRecord(files: ServerFolder, record: ServerRecord): void {
  const scratch = `${files.record}.new`
  writeFileSync(scratch, `${JSON.stringify(record)}\n`)
  renameSync(scratch, files.record)
}

export function removeServerRecord(files: ServerFolder): void {
  rmSync(files.record, { force: true })
}

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
