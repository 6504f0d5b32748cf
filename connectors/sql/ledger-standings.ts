import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { toIso } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/interval.ts'
import type { LedgerRow } from '../destination/coverage.ts'
import { standingOf } from '../destination/ledger.ts'
import type { LedgerStanding } from '../destination/ledger.ts'
import type { Schema } from './schema.ts'

/** Whose ledger, and as of when. */
interface Asked {
  store: string
  nowMs: number
}

/** How each stream of a store stands; the database adds up what is proven. */
export async function readStandings(
  db: Kysely<Schema>,
  store: string,
  nowMs: number,
): Promise<ReadonlyMap<string, LedgerStanding>> {
  const asked = { store, nowMs }
  const spans = await readSpans(db, asked)
  const torn = spans.filter(({ startMs, endMs, provenMs }) => provenMs < endMs - startMs)
  const gaps = Map.groupBy(
    await readGaps(
      db,
      asked,
      torn.map(({ stream }) => stream),
    ),
    ({ stream }) => stream,
  )
  const unproven = Map.groupBy(await readUnproven(db, asked), ({ stream }) => stream)
  const standings = new Map<string, LedgerStanding>()
  for (const { stream, readAt } of await readLast(db, store))
    standings.set(stream, { ...standingOf(standings, stream), lastReadAt: readAt })
  for (const { stream, startMs, endMs, newestProofAt } of spans)
    standings.set(stream, {
      ...standingOf(standings, stream),
      proven: { startMs, endMs },
      gaps: (gaps.get(stream) ?? []).map(gap => ({ startMs: gap.startMs, endMs: gap.endMs })),
      newestProofAt: newestProofAt ?? undefined,
    })
  for (const [stream, rows] of unproven)
    standings.set(stream, {
      ...standingOf(standings, stream),
      unproven: rows.map(({ startMs, endMs, status, evidence }) => ({
        startMs,
        endMs,
        status,
        evidence,
      })),
    })
  return standings
}

/** `plausibleRows` in SQL. */
export const isPlausible = (nowMs: number): RawBuilder<boolean> =>
  sql`end_ms <= ${nowMs} AND (read_at IS NULL OR read_at <= ${toIso(nowMs)})`

interface Span extends Interval {
  stream: string
  /** Proven rows never overlap: where their lengths are less than the whole, there is a gap. */
  provenMs: number
  newestProofAt: string | null
}

/** Windows are many: each is asked whether it is plausible only where some are not. */
async function readSpans(db: Kysely<Schema>, { store, nowMs }: Asked): Promise<Span[]> {
  const all = await spansWhere(db, store, sql<boolean>`true`)
  const now = toIso(nowMs)
  const arePlausible = all.every(
    ({ endMs, newestProofAt }) => endMs <= nowMs && (newestProofAt ?? '') <= now,
  )
  return arePlausible ? all : spansWhere(db, store, isPlausible(nowMs))
}

async function spansWhere(
  db: Kysely<Schema>,
  store: string,
  counts: RawBuilder<boolean>,
): Promise<Span[]> {
  const { rows } = await sql<Span>`
    SELECT stream, min(start_ms) AS "startMs", max(end_ms) AS "endMs",
      CAST(sum(end_ms - start_ms) AS bigint) AS "provenMs", max(read_at) AS "newestProofAt"
    FROM windows WHERE store_id = ${store} AND status = 'proven' AND ${counts}
    GROUP BY stream`.execute(db)
  return rows
}

async function readGaps(
  db: Kysely<Schema>,
  { store, nowMs }: Asked,
  streams: readonly string[],
): Promise<(Interval & { stream: string })[]> {
  if (streams.length === 0) return []
  const { rows } = await sql<Interval & { stream: string }>`
    SELECT stream, before AS "startMs", start_ms AS "endMs" FROM (
      SELECT stream, start_ms,
        lag(end_ms) OVER (PARTITION BY stream ORDER BY start_ms) AS before
      FROM windows
      WHERE store_id = ${store} AND status = 'proven' AND stream IN (${sql.join(streams)})
        AND ${isPlausible(nowMs)}
    ) AS proven
    WHERE before < start_ms ORDER BY stream, start_ms`.execute(db)
  return rows
}

async function readUnproven(
  db: Kysely<Schema>,
  { store, nowMs }: Asked,
): Promise<(LedgerRow & { stream: string })[]> {
  const { rows } = await sql<LedgerRow & { stream: string }>`
    SELECT stream, start_ms AS "startMs", end_ms AS "endMs", status, evidence
    FROM windows WHERE store_id = ${store} AND status = 'unproven' AND ${isPlausible(nowMs)}
    ORDER BY stream, start_ms`.execute(db)
  return rows
}

/** From each stream to the next one: readings are many, and streams are few. */
const streamsRead = (store: string): RawBuilder<unknown> => sql`
  WITH RECURSIVE known (stream) AS (
    SELECT min(stream) FROM readings WHERE store_id = ${store}
    UNION ALL
    SELECT (SELECT min(r.stream) FROM readings r
      WHERE r.store_id = ${store} AND r.stream > known.stream)
    FROM known WHERE known.stream IS NOT NULL
  )`

async function readLast(
  db: Kysely<Schema>,
  store: string,
): Promise<{ stream: string; readAt: string }[]> {
  const { rows } = await sql<{ stream: string; readAt: string }>`
    ${streamsRead(store)}
    SELECT known.stream, (SELECT r.read_at FROM readings r
      WHERE r.store_id = ${store} AND r.stream = known.stream
      ORDER BY r.batch DESC LIMIT 1) AS "readAt"
    FROM known WHERE known.stream IS NOT NULL`.execute(db)
  return rows
}

/** When the first reading of a store was made. */
export async function readFirst(db: Kysely<Schema>, store: string): Promise<string | undefined> {
  const { rows } = await sql<{ readAt: string }>`
    SELECT read_at AS "readAt" FROM readings WHERE batch = (
      ${streamsRead(store)}
      SELECT min((SELECT min(r.batch) FROM readings r
        WHERE r.store_id = ${store} AND r.stream = known.stream)) FROM known)`.execute(db)
  return rows[0]?.readAt
}
