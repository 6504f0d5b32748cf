import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { fromIso, toIso } from '../../calendar/days.ts'
import type { FailedReading } from '../destination/coverage.ts'
import type { Ledger } from '../destination/ledger.ts'
import { isPlausible, readFirst, readStandings } from './ledger-standings.ts'
import type { Schema } from './schema.ts'
import { asLedgerRow } from './window/ledger-table.ts'

/** The tables `windows`, `readings` and `lateness`, read. */
export const createLedger = (db: Kysely<Schema>, now: () => number = Date.now): Ledger => ({
  async windows(store, stream, touching) {
    const all = db
      .selectFrom('windows')
      .select(['window_start', 'window_end', 'status', 'evidence'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .where(isPlausible(now()))
    const asked =
      touching === undefined
        ? all
        : all
            .where('window_start', '<', toIso(touching.endMs))
            .where('window_end', '>', toIso(touching.startMs))
    return (await asked.execute()).map(asLedgerRow)
  },
  standings: store => readStandings(db, store, now()),
  failedReadings: (store, stream) => failedReadings(db, { store, stream, nowMs: now() }),
  provenSpan: (store, stream) =>
    db
      .selectFrom('windows')
      .select(({ fn }) => [fn.min('window_start').as('from'), fn.max('window_end').as('to')])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .where('status', '=', 'proven')
      .executeTakeFirstOrThrow(),
  lateness: (store, stream) =>
    db
      .selectFrom('lateness')
      .select(['day', 'max_ms as maxMs'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute(),
  firstReadAt: store => readFirst(db, store),
  async lastReadAt(store, stream) {
    const last = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .orderBy('batch', 'desc')
      .limit(1)
      .executeTakeFirst()
    return last?.read_at
  },
})

/** More are open only where an API has been away for weeks. */
const FAILED_READINGS = 2_000

type Stored = Pick<Schema['readings'], 'stream' | 'window_start' | 'window_end' | 'read_at'>

/**
 * Beside each failed reading its window's rows of the ledger that were proven no earlier, from the
 * row in which it begins. It is over where these follow each other from its start to its end.
 */
async function failedReadings(
  db: Kysely<Schema>,
  { store, stream, nowMs }: { store: string; stream: string | undefined; nowMs: number },
): Promise<FailedReading[]> {
  const now = toIso(nowMs)
  // Windows are looked up by their place: in an index of these times, whole lists would be read.
  const readAt = sql`coalesce(w.read_at, '')`
  const isAsked = stream === undefined ? sql`true` : sql`r.stream = ${stream}`
  const { rows } = await sql<Stored>`
    SELECT stream, window_start, window_end, read_at FROM (
      SELECT r.batch, r.stream, r.window_start, r.window_end, r.read_at,
        w.window_start AS starts, w.window_end AS ends,
        lag(w.window_end) OVER (PARTITION BY r.batch ORDER BY w.window_start) AS before
      FROM readings r LEFT JOIN windows w
        ON w.store_id = r.store_id AND w.stream = r.stream AND w.status = 'proven'
        AND w.window_start < r.window_end AND w.window_end > r.window_start
        AND w.window_start >= coalesce((
          SELECT max(f.window_start) FROM windows f
          WHERE f.store_id = r.store_id AND f.stream = r.stream
            AND f.window_start <= r.window_start
        ), r.window_start)
        AND ${readAt} >= r.read_at AND ${readAt} <= ${now} AND w.window_end <= ${now}
      WHERE r.store_id = ${store} AND r.status = 'unproven' AND ${isAsked}
    ) AS failed
    GROUP BY batch, stream, window_start, window_end, read_at
    HAVING min(starts) IS NULL OR min(starts) > window_start OR max(ends) < window_end
      OR max(CASE WHEN before < starts THEN 1 ELSE 0 END) = 1
    ORDER BY batch DESC LIMIT ${FAILED_READINGS}`.execute(db)
  return rows.map(row => ({
    stream: row.stream,
    startMs: fromIso(row.window_start),
    endMs: fromIso(row.window_end),
    readAt: row.read_at,
  }))
}
