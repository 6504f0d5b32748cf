import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessIdentity } from './process-identity.ts'
import { DATABASE_NAME } from './server-arguments.ts'

/** The files of one data folder that belong to its Temporal server. */
export interface ServerFolder {
  readonly folder: string
  /** The workflow histories; everything else here can go. */
  readonly database: string
  readonly log: string
  /** `ServerRecord`, there while a keeper is in charge; it alone writes it. */
  readonly record: string
  /** Held by whoever starts or stops the server. */
  readonly lock: string
  /** One empty file for each user, its name says whose. */
  readonly users: string
}

export function serverFolder(folder: string): ServerFolder {
  return {
    folder,
    database: join(folder, DATABASE_NAME),
    log: join(folder, 'temporal.log'),
    record: join(folder, 'server.json'),
    lock: join(folder, 'server.lock'),
    users: join(folder, 'users'),
  }
}

/**
 * Where the server of a folder answers and who keeps it. `server` is missing for the moment between
 * two starts.
 */
export interface ServerRecord {
  address: string
  port: number
  /** Of the web UI, where the command that started the server wanted one. */
  uiPort?: number
  /** Missing in a record of an older Tillage, whose keeper is still at work. */
  launchedAtMs?: number
  keeper: ProcessIdentity
  server?: ProcessIdentity
}

/** What was written last, or undefined if there is none or it makes no sense. */
export function readServerRecord(files: ServerFolder): ServerRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(files.record, 'utf8')) as Partial<ServerRecord>
    return isServerRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}

/** By hand: a library for this would be a quarter of the memory that the keeper takes. */
const isServerRecord = (record: Partial<ServerRecord>): record is ServerRecord =>
  typeof record.address === 'string' &&
  Number.isInteger(record.port) &&
  (record.launchedAtMs === undefined || Number.isInteger(record.launchedAtMs)) &&
  (record.uiPort === undefined || Number.isInteger(record.uiPort)) &&
  isIdentity(record.keeper) &&
  (record.server === undefined || isIdentity(record.server))

const isIdentity = (one: Partial<ProcessIdentity> | undefined): boolean =>
  Number.isInteger(one?.pid) &&
  one!.pid! > 0 &&
  (one!.startedAt === undefined || typeof one!.startedAt === 'string')

/** Replaces the record in one step, so that a reader sees the old one or the new one. */
export function writeServerRecord(files: ServerFolder, record: ServerRecord): void {
  const scratch = `${files.record}.new`
  writeFileSync(scratch, `${JSON.stringify(record)}\n`)
  renameSync(scratch, files.record)
}

export function removeServerRecord(files: ServerFolder): void {
  rmSync(files.record, { force: true })
}
