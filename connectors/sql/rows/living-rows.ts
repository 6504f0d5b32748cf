import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { toIso } from '../../../calendar/days.ts'
import type { Interval } from '../../../calendar/days.ts'
import { TillageError } from '../../../errors.ts'
import type { KnownRow } from '../../destination/rows.ts'
import { bookedAtSql, rowTable } from '../../stream-sql.ts'
import { columnName, saysDeleted } from '../../stream.ts'
import type { Stream } from '../../stream.ts'
import type { Schema } from '../schema.ts'

/** What databases call otherwise where rows are read. */
export interface RowDialect {
  /** The least of several values. */
  least: 'min' | 'least'
  /** The view that shows a stream, or lines, as everything is kept. */
  viewOf(name: string): string
  /** A field of a record, by its path, as text. */
  fieldOf(raw: string, path: string): string
  /** A query that has a row where there is such a table. */
  findTable(name: string): string
  /**
   * A query for the number of the reading that was committed last, 0 where there is none. It is not
   * the largest in the table: a purge takes old readings out of it.
   */
  lastBatch: string
}

/** Later than any time of a record. */
const NEVER = sql.lit(9_000_000_000_000_000)

/** Where rows are read. */
export interface RowsPlace {
  db: Kysely<Schema>
  dialect: RowDialect
}

/** Rows of `r` that neither a reading has missed nor the API calls deleted. */
export const livingRows = (stream: Stream, store: string): RawBuilder<unknown> =>
  sql`r.store_id = ${store} AND r.gone_at IS NULL ${saysDeleted(stream) ? NOT_DELETED : sql``}`

const NOT_DELETED = sql`AND r."deleted" IS NOT TRUE`

/**
 * The living rows that a proven reading of a window must show, or they have moved or are gone:
 * those modified inside it. None where no part of the window was read before: then they came with a
 * neighbour, minutes ago. Rows without a time are never missed. Of a stream that exists once for
 * each value, only rows whose own field holds a value that was asked for: a list that nobody asked
 * for says nothing of its rows (INV-5).
 */
export async function expectedRows(
  { db, dialect }: RowsPlace,
  store: string,
  stream: Stream,
  window: Interval,
): Promise<KnownRow[]> {
  const isWhole = stream.windowing === 'full-refresh'
  if (stream.parent !== undefined && stream.parent.field === undefined) return []
  const before = db
    .selectFrom('windows')
    .select('status')
    .where('store_id', '=', store)
    .where('stream', '=', stream.name)
    .limit(1)
  const read = await (
    isWhole
      ? before
      : before
          .where('window_start', '<', toIso(window.endMs))
          .where('window_end', '>', toIso(window.startMs))
  ).executeTakeFirst()
  if (read === undefined) return []
  const columns = [stream.cursor, 'created', ...stream.eventTimes.map(columnName)].filter(
    name => name in stream.columns,
  )
  const times = sql.join(
    [...new Set(columns)].map(name => sql`coalesce(r.${sql.ref(name)}, ${NEVER})`),
  )
  const cursor = sql.ref(`r.${stream.cursor}`)
  const inside = isWhole
    ? sql``
    : sql`AND ${cursor} >= ${window.startMs} AND ${cursor} < ${window.endMs}`
  const field = stream.parent?.field
  const listed = field === undefined ? sql`NULL` : sql`r.${sql.ref(columnName(field))}`
  const { rows } = await sql<KnownRow>`
    SELECT r.id, ${sql.raw(dialect.least)}(${times}, ${NEVER}) AS "earliestMs", ${listed} AS "listedFor"
    FROM ${sql.table(rowTable(stream.name))} r
    WHERE ${livingRows(stream, store)} ${inside}`.execute(db)
  return rows
}

/** How many living rows were modified inside each of these, in their order. */
export async function countModified(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  inside: readonly Interval[],
): Promise<number[]> {
  if (inside.length === 0) return []
  const cursor = sql.ref(`r.${stream.cursor}`)
  const asked = inside.map(
    ({ startMs, endMs }, at) => sql`(${sql.lit(at)}, ${sql.lit(startMs)}, ${sql.lit(endMs)})`,
  )
  const { rows } = await sql<{ count: number }>`
    SELECT (
      SELECT count(*) FROM ${sql.table(rowTable(stream.name))} r
      WHERE ${livingRows(stream, store)}
        AND ${cursor} >= asked.column2 AND ${cursor} < asked.column3
    ) AS count
    FROM (VALUES ${sql.join(asked)}) AS asked ORDER BY asked.column1`.execute(db)
  return rows.map(({ count }) => count)
}

/** The newest living row that is none of these. */
export async function newestLivingRow(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  ids: readonly string[],
): Promise<string | undefined> {
  const table = sql.table(rowTable(stream.name))
  const found = await sql<{ id: string }>`
    SELECT r.id FROM ${table} r
    WHERE ${livingRows(stream, store)}
      AND r.id NOT IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    ORDER BY r.${sql.ref(stream.cursor)} DESC NULLS LAST LIMIT 1`.execute(db)
  return found.rows[0]?.id
}

/**
 * Those of these rows that came last by their ids, since a window did not show them. What a hint
 * names is asked for at an instant, which is no window.
 */
export async function rowsLeftByEdit(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    SELECT r.id FROM ${sql.table(rowTable(stream.name))} r
    JOIN readings b ON b.batch = r.batch
    WHERE r.store_id = ${store} AND r.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND b.status = 'looked_up' AND b.window_start < b.window_end`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The values for which a list exists, from the living rows of the stream that has them, which must
 * have been proven once. What the API calls deleted has no list any more: it would be refused.
 */
export async function parentValues(
  { db, dialect }: RowsPlace,
  store: string,
  parent: NonNullable<Stream['parent']>,
): Promise<string[]> {
  const proven = await db
    .selectFrom('windows')
    .select('status')
    .where('store_id', '=', store)
    .where('stream', '=', parent.stream)
    .where('status', '=', 'proven')
    .limit(1)
    .executeTakeFirst()
  if (proven === undefined)
    throw new TillageError(
      'NOT_PROVEN',
      `${parent.stream} of ${store} were never proven, and say what there is to read`,
      { remedy: `Read them first: tillage sync ${parent.stream} --store ${store}` },
    )
  const found = await sql<{ value: string }>`
    SELECT DISTINCT ${sql.ref(parent.column)} AS value
    FROM ${sql.table(dialect.viewOf(parent.stream))}
    WHERE store_id = ${store} AND deleted_at IS NULL AND ${sql.ref(parent.column)} <> ''
    ORDER BY 1`.execute(db)
  return found.rows.map(({ value }) => value)
}

/**
 * Ids of living rows that no business day of this interval can hold, because the moment that books
 * them is missing or lies elsewhere; in their order.
 */
export async function bookedOutside(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  { startMs, endMs }: Interval,
): Promise<string[]> {
  if (stream.bookedAt === undefined) return []
  const bookedAt = sql.raw(bookedAtSql(stream.bookedAt))
  // Each is looked up in the index of these moments; asked for in order, all rows would be read.
  const rowsWhere = (outside: RawBuilder<unknown>) => sql`
    SELECT r.id FROM ${sql.table(rowTable(stream.name))} r
    WHERE ${livingRows(stream, store)} AND ${outside}`
  const { rows } = await sql<{ id: string }>`
    ${rowsWhere(sql`${bookedAt} IS NULL`)} UNION ALL
    ${rowsWhere(sql`${bookedAt} < ${startMs}`)} UNION ALL
    ${rowsWhere(sql`${bookedAt} >= ${endMs}`)}`.execute(db)
  return rows.map(({ id }) => id).toSorted()
}
