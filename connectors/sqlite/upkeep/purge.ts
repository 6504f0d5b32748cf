import type Sqlite from 'better-sqlite3'
import { DAY_MS, fromIso, toIso } from '../../../calendar/days.ts'
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import { actNow } from '../../sql/audit-chain.ts'
import type { Stream } from '../../stream.ts'
import { rowTable } from '../connection/sql-text.ts'
import { appendTo } from '../tables/append-act.ts'

/**
 * Removes what is older than its retention, or only counts it; one transaction, on a connection
 * that overwrites what it deletes. The audit log gets an entry in the same transaction.
 */
export function purge(
  connection: Sqlite.Database,
  order: PurgeOrder,
  streams: readonly Stream[],
  { dryRun = false }: { dryRun?: boolean } = {},
): Purged[] {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const purged = removeOld(connection, order, streams)
    if (!dryRun && purged.some(({ rows }) => rows > 0))
      appendTo(connection, actNow('purge', { store: order.store, purged }))
    connection.exec(dryRun ? 'ROLLBACK' : 'COMMIT')
    return purged
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/**
 * A version is as old as the reading that replaced it. A reading stays while a row points at it,
 * and the newest of each list stays.
 */
function removeOld(
  connection: Sqlite.Database,
  { retention, store: only, at }: PurgeOrder,
  streams: readonly Stream[],
): Purged[] {
  const store = only ?? null
  // Versions first: readings say how old they are.
  const steps: [table: string, days: number | undefined, sql: string][] = [
    ['versions', retention.versionsDays, VERSIONS],
    ['discarded_letters', retention.discardedLettersDays, LETTERS],
    ['readings', retention.readingsDays, readings(streams)],
  ]
  return steps.flatMap(([table, days, sql]) => {
    if (days === undefined) return []
    const before = toIso(fromIso(at) - days * DAY_MS)
    return [{ table, before, rows: connection.prepare(sql).run({ before, store }).changes }]
  })
}

const OF_STORE = '(@store IS NULL OR store_id = @store)'

const VERSIONS = `
  DELETE FROM versions
  WHERE to_batch IN (SELECT batch FROM readings WHERE read_at < @before) AND ${OF_STORE}`

const LETTERS = `DELETE FROM discarded_letters WHERE discarded_at < @before AND ${OF_STORE}`

const readings = (streams: readonly Stream[]): string => `
  DELETE FROM readings
  WHERE read_at < @before AND ${OF_STORE}
    AND batch NOT IN (SELECT max(batch) FROM readings GROUP BY store_id, stream)
    AND batch NOT IN (SELECT from_batch FROM versions UNION SELECT to_batch FROM versions)
    ${streams
      .map(({ name }) => rowTable(name))
      .map(
        table =>
          `AND batch NOT IN (SELECT batch FROM ${table} UNION SELECT first_batch FROM ${table})`,
      )
      .join('\n    ')}`
