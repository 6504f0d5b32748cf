import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import type Sqlite from 'better-sqlite3'
import { openConnection, readDatabase } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { BEGINNING, findBreaks, hashOf } from './audit-chain.ts'
import type { AuditEntry } from './audit-chain.ts'

/** What somebody is about to do, or has done. */
export type Act = Pick<AuditEntry, 'at' | 'who' | 'machine' | 'act'> & {
  /** Names, ids and reasons; no value of a record. */
  detail: Readonly<Record<string, unknown>>
}

/** By the user of this machine, now; what is undefined is left out. */
export const actNow = (act: string, detail: Readonly<Record<string, unknown>>): Act => ({
  at: new Date().toISOString(),
  who: userName(),
  machine: hostname(),
  act,
  detail,
})

/** A container may run as a user that has no name. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/**
 * Adds an act to the log, on the disk before this returns. The tables are up to date (`migrate`).
 */
export function appendAct(path: string, act: Act): void {
  const connection = openConnection(path)
  try {
    connection.pragma('synchronous = FULL')
    connection.transaction(() => appendTo(connection, act)).immediate()
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}

/** The same inside the transaction of what it tells of, so that both happen or neither. */
export function appendTo(connection: Sqlite.Database, { detail, ...act }: Act): void {
  const last = connection
    .prepare<[], Pick<AuditEntry, 'seq' | 'hash'>>(
      'SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1',
    )
    .get()
  const entry = {
    ...act,
    seq: Math.max(last?.seq ?? 0, lastGivenOut(connection)) + 1,
    detail: JSON.stringify(detail),
    previous: last?.hash ?? BEGINNING,
  }
  connection
    .prepare(
      `INSERT INTO audit_log (seq, at, who, machine, act, detail, previous, hash)
       VALUES (@seq, @at, @who, @machine, @act, @detail, @previous, @hash)`,
    )
    .run({ ...entry, hash: hashOf(entry) })
}

/** The whole log, oldest first, and what is wrong with it. */
export const readAuditLog = (path: string): { entries: AuditEntry[]; breaks: string[] } =>
  readDatabase(path, logIn)

export function logIn(connection: Sqlite.Database): { entries: AuditEntry[]; breaks: string[] } {
  if (!hasLog(connection)) return { entries: [], breaks: [] }
  const entries = connection.prepare<[], AuditEntry>('SELECT * FROM audit_log ORDER BY seq').all()
  return { entries, breaks: findBreaks(entries, lastGivenOut(connection)) }
}

/**
 * A database of a version that kept none yet, which nobody has opened with this one, has no log.
 */
const hasLog = (connection: Sqlite.Database): boolean =>
  connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'audit_log'").get() !== undefined

export const keepsAuditLog = (path: string): boolean => readDatabase(path, hasLog)

/** Whether a path is a SQLite database, by what such files begin with. */
export function isDatabase(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(16)
    return (
      readSync(file, start, 0, 16, 0) === 16 && start.toString('latin1') === 'SQLite format 3\0'
    )
  } finally {
    closeSync(file)
  }
}

/** SQLite remembers it apart from the table. */
const lastGivenOut = (connection: Sqlite.Database): number =>
  connection
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'")
    .pluck()
    .get() ?? 0
