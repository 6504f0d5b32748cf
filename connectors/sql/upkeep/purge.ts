import { DAY_MS, fromIso, toIso } from '../../../calendar/days.ts'
import type { PurgeOrder, Purged } from '../../destination/upkeep.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { actNow } from '../audit-chain.ts'
import { appendAct } from '../audit-log.ts'
import { run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import type { UpkeepDialect } from './upkeep-dialect.ts'

/**
 * Removes what is older than its retention, of all tables or none, with an entry in the audit log;
 * inside a transaction. A dry run counts what would go.
 */
export function* purge(
  { lastAuditNumberSql }: Pick<UpkeepDialect, 'lastAuditNumberSql'>,
  order: PurgeOrder,
  streams: readonly Stream[],
  { dryRun }: { dryRun: boolean },
): Steps<Purged[]> {
  yield* run('SAVEPOINT purging')
  const purged = yield* removeOld(order, streams)
  if (dryRun) yield* run('ROLLBACK TO purging')
  else if (purged.some(({ rows }) => rows > 0))
    yield* appendAct(actNow('purge', { store: order.store, purged }), lastAuditNumberSql)
  return purged
}

/**
 * A version is as old as the
 * reading that replaced it. A reading stays while a row points at it, and the newest of each list
 * stays.
 */
function* removeOld(
  { retention, store: only, at }: PurgeOrder,
  streams: readonly Stream[],
): Steps<Purged[]> {
  const store = only ?? null
  // Versions first: readings say how old they are.
  const tables: [table: string, days: number | undefined, sql: string][] = [
    ['versions', retention.versionsDays, VERSIONS],
    ['discarded_letters', retention.discardedLettersDays, LETTERS],
    ['readings', retention.readingsDays, readings(streams)],
  ]
  const purged: Purged[] = []
  for (const [table, days, sql] of tables) {
    if (days === undefined) continue
    const before = toIso(fromIso(at) - days * DAY_MS)
    purged.push({ table, before, rows: yield* run(sql, { before, store }) })
  }
  return purged
}

const OF_STORE = '(CAST(@store AS text) IS NULL OR store_id = @store)'

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
