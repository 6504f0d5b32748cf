import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { merge, toIso } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
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
  const unproven = Map.groupBy(await readUnproven(db, asked), ({ stream }) => stream)
  const standings = new Map<string, LedgerStanding>()
  for (const { stream, readAt } of await readLast(db, store))
    standings.set(stream, { ...standingOf(standings, stream), lastReadAt: readAt })
  for (const { stream, startMs, endMs, newestProofAt, gaps } of await readProven(
    db,
    asked,
    unproven,
  ))
    standings.set(stream, {
      ...standingOf(standings, stream),
      proven: { startMs, endMs },
      gaps,
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

type OfStream<Row> = Row & { stream: string }
type Unproven = ReadonlyMap<string, readonly LedgerRow[]>

interface Span extends Interval {
  stream: string
  newestProofAt: string | null
}

/** Windows are many: each is asked whether it is plausible only where some are not. */
async function readProven(
  db: Kysely<Schema>,
  { store, nowMs }: Asked,
  unproven: Unproven,
): Promise<(Span & { gaps: Interval[] })[]> {
  const ends = await readEnds(db, store)
  const now = toIso(nowMs)
  const arePlausible = ends.every(
    ({ endMs, newestProofAt }) => endMs <= nowMs && (newestProofAt ?? '') <= now,
  )
  if (!arePlausible)
    return withGaps(db, store, await readSpans(db, store, nowMs), isPlausible(nowMs))
  const failed = ends.map(span => ({ ...span, gaps: failedWithin(span, unproven) }))
  const lengthMs = sum(ends.map(lengthOf)) - sum(failed.flatMap(({ gaps }) => gaps.map(lengthOf)))
  if ((await readLength(db, store)) === lengthMs) return failed
  return withGaps(db, store, ends, sql<boolean>`true`)
}

const lengthOf = ({ startMs, endMs }: Interval): number => endMs - startMs
const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0)

/** What was read in vain between the first proof and the last. */
const failedWithin = ({ stream, startMs, endMs }: Span, unproven: Unproven): Interval[] =>
  merge(
    (unproven.get(stream) ?? [])
      .filter(row => row.startMs >= startMs && row.endMs <= endMs)
      .map(row => ({ startMs: row.startMs, endMs: row.endMs })),
  )

/**
 * By the ends of indexes. Rows never overlap, so the last that begins ends last; the first and the
 * last of a list are hardly ever unproven, and are looked up by their place.
 */
async function readEnds(db: Kysely<Schema>, store: string): Promise<Span[]> {
  const proven = sql`FROM windows w WHERE w.store_id = ${store} AND w.status = 'proven'`
  const place = sql`FROM windows w
    WHERE w.store_id = ${store} AND w.stream = known.stream AND w.status <> 'unproven'`
  const { rows } = await sql<Span>`
    WITH RECURSIVE known (stream) AS (
      SELECT min(w.stream) ${proven}
      UNION ALL
      SELECT (SELECT min(w.stream) ${proven} AND w.stream > known.stream)
      FROM known WHERE known.stream IS NOT NULL
    )
    SELECT stream,
      (SELECT w.start_ms ${place} ORDER BY w.window_start LIMIT 1) AS "startMs",
      (SELECT w.end_ms ${place} ORDER BY w.window_start DESC, w.window_end DESC LIMIT 1) AS "endMs",
      (SELECT max(w.read_at) ${proven} AND w.stream = known.stream) AS "newestProofAt"
    FROM known WHERE stream IS NOT NULL`.execute(db)
  return rows
}

/** Of all that is proven of a store. */
async function readLength(db: Kysely<Schema>, store: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    SELECT CAST(coalesce(sum(end_ms - start_ms), 0) AS bigint) AS ms
    FROM windows WHERE store_id = ${store} AND status = 'proven'`.execute(db)
  return rows[0]!.ms
}

/** The same row by row, without what is not plausible. */
async function readSpans(db: Kysely<Schema>, store: string, nowMs: number): Promise<Span[]> {
  const { rows } = await sql<Span>`
    SELECT stream, min(start_ms) AS "startMs", max(end_ms) AS "endMs",
      max(read_at) AS "newestProofAt"
    FROM windows WHERE store_id = ${store} AND status = 'proven' AND ${isPlausible(nowMs)}
    GROUP BY stream`.execute(db)
  return rows
}

/** Proven rows never overlap: where their lengths are less than the whole, there is a gap. */
async function withGaps(
  db: Kysely<Schema>,
  store: string,
  spans: readonly Span[],
  counts: RawBuilder<boolean>,
): Promise<(Span & { gaps: Interval[] })[]> {
  const { rows } = await sql<OfStream<Interval>>`
    SELECT stream, before AS "startMs", start_ms AS "endMs" FROM (
      SELECT stream, start_ms,
        lag(end_ms) OVER (PARTITION BY stream ORDER BY start_ms) AS before
      FROM windows
      WHERE store_id = ${store} AND status = 'proven' AND ${counts} AND stream IN (
        SELECT stream FROM windows
        WHERE store_id = ${store} AND status = 'proven' AND ${counts}
        GROUP BY stream HAVING sum(end_ms - start_ms) < max(end_ms) - min(start_ms)
      )
    ) AS proven
    WHERE before < start_ms ORDER BY stream, start_ms`.execute(db)
  const gaps = Map.groupBy(rows, ({ stream }) => stream)
  return spans.map(span => ({
    ...span,
    gaps: (gaps.get(span.stream) ?? []).map(({ startMs, endMs }) => ({ startMs, endMs })),
  }))
}

async function readUnproven(
  db: Kysely<Schema>,
  { store, nowMs }: Asked,
): Promise<OfStream<LedgerRow>[]> {
  const { rows } = await sql<OfStream<LedgerRow>>`
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
