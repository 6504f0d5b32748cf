/**
 * The chain of the audit log, as a pure decision: is each
 * entry as it was written, and is none gone?
 */
import { hostname, userInfo } from 'node:os'
import { sha256Of } from '../../sha256.ts'

/** One act of a person; `previous` is the hash of the entry before it. */
export interface AuditEntry {
  seq: number
  /** ISO, UTC. */
  at: string
  /** Of the operating system, whatever name the person gave; that stands in `detail`. */
  who: string
  machine: string
  /** The command, as it is typed: `dead-letters show`. */
  act: string
  /** JSON: names, ids and reasons; no value of a record. */
  detail: string
  previous: string
  hash: string
}

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

/** What the first entry follows. */
export const BEGINNING = '0'.repeat(64)

export const hashOf = (entry: Omit<AuditEntry, 'hash'>): string => {
  const { seq, at, who, machine, act, detail, previous } = entry
  const text = JSON.stringify([seq, at, who, machine, act, detail, previous])
  return sha256Of(text)
}

/**
 * The entry of an act after the last one that is there; `lastNumber` is the greatest that the
 * database ever gave out.
 */
export function entryAfter(
  last: Pick<AuditEntry, 'seq' | 'hash'> | undefined,
  lastNumber: number,
  { detail, ...act }: Act,
): AuditEntry {
  const entry = {
    ...act,
    seq: Math.max(last?.seq ?? 0, lastNumber) + 1,
    detail: JSON.stringify(detail),
    previous: last?.hash ?? BEGINNING,
  }
  return { ...entry, hash: hashOf(entry) }
}

/**
 * What is wrong with a log, in sentences; none if it holds. `last` is the number that the database
 * gave out last: entries that were cut off at the end leave it behind.
 */
export function findBreaks(entries: readonly AuditEntry[], last: number): string[] {
  const breaks: string[] = []
  let previous = BEGINNING
  let expected = 1
  for (const entry of entries) {
    if (entry.seq !== expected) breaks.push(missing(expected, entry.seq - 1))
    if (hashOf(entry) !== entry.hash) breaks.push(`entry ${entry.seq} is not as it was written`)
    else if (entry.previous !== previous)
      breaks.push(`entry ${entry.seq} does not follow the entry that stands before it`)
    previous = entry.hash
    expected = entry.seq + 1
  }
  if (expected <= last) breaks.push(missing(expected, last))
  return breaks
}

const missing = (from: number, to: number): string =>
  from >= to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`
