import type Sqlite from 'better-sqlite3'
import type { Stream } from '../stream.ts'
import { rowTable } from './sql-text.ts'

/** How long what may be read again, or was given up, is kept; days, undefined: for ever. */
export interface Retention {
  versionsDays?: number | undefined
  discardedLettersDays?: number | undefined
  readingsDays?: number | undefined
}

export interface Purged {
  table: string
  /** What is older than this goes; ISO, UTC. */
  before: string
  rows: number
}

const DAY_MS = 86_400_000

/**
 * Removes what is older than its retention; inside a transaction, which a dry run rolls back. A
 * version is as old as the reading that replaced it. A reading stays while a row points at it, and
 * the newest of each list stays.
 */
export function purge(
  connection: Sqlite.Database,
  retention: Retention,
  { nowMs, streams }: { nowMs: number; streams: readonly Stream[] },
): Purged[] {
  // Versions first: readings say how old they are.
  const steps: [table: string, days: number | undefined, sql: string][] = [
    ['versions', retention.versionsDays, VERSIONS],
    ['discarded_letters', retention.discardedLettersDays, LETTERS],
    ['readings', retention.readingsDays, readings(streams)],
  ]
  return steps.flatMap(([table, days, sql]) => {
    if (days === undefined) return []
    const before = new Date(nowMs - days * DAY_MS).toISOString()
    return [{ table, before, rows: connection.prepare(sql).run({ before }).changes }]
  })
}

const VERSIONS = `
  DELETE FROM versions
  WHERE to_batch IN (SELECT batch FROM readings WHERE read_at < @before)`

const LETTERS = 'DELETE FROM discarded_letters WHERE discarded_at < @before'

const readings = (streams: readonly Stream[]): string => `
  DELETE FROM readings
  WHERE read_at < @before
    AND batch NOT IN (SELECT max(batch) FROM readings GROUP BY store_id, stream)
    AND batch NOT IN (SELECT from_batch FROM versions UNION SELECT to_batch FROM versions)
    ${streams
      .map(({ name }) => rowTable(name))
      .map(
        table =>
          `AND batch NOT IN (SELECT batch FROM ${table} UNION SELECT first_batch FROM ${table})`,
      )
      .join('\n    ')}`
