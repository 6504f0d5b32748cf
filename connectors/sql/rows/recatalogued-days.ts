import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { CatalogList, ChangedDay } from '../../destination/booked-days.ts'
import { rowTable } from '../../stream-sql.ts'
import type { RowsPlace } from './living-rows.ts'

/** A reading of a store: later ones have larger numbers. */
interface Since {
  store: string
  batch: number
}

/**
 * Business days in the views of the books of which a line names a record of this list from which
 * the books took something else at a reading.
 */
export async function recataloguedDays(
  place: RowsPlace,
  list: CatalogList,
  since: Since,
): Promise<ChangedDay[]> {
  if (!(await wasRead(place, list, since))) return []
  const changed =
    // Lots are too many to be all looked at; one that comes late is a cost that comes.
    list.stream.windowing === 'full-refresh'
      ? sql`${corrected(place, list, since)} UNION ALL ${came(list, since)}`
      : corrected(place, list, since)
  // As a rule there is none, and the lines are not looked at.
  const any = await sql`SELECT 1 FROM (${changed}) AS changed LIMIT 1`.execute(place.db)
  if (any.rows.length === 0) return []
  const lines = list.namedIn.map(
    ({ view, column }) => sql`
      SELECT l.business_date AS day, c.batch FROM changed c
      JOIN ${sql.table(place.dialect.viewOf(view))} l ON l.${sql.ref(column)} = c.id
      WHERE l.store_id = ${since.store}`,
  )
  const found = await sql<ChangedDay>`
    WITH changed AS (${changed})
    SELECT day, max(batch) AS batch FROM (${sql.join(lines, sql` UNION ALL `)}) AS named
    WHERE day IS NOT NULL GROUP BY day`.execute(place.db)
  return found.rows
}

async function wasRead(
  { db }: RowsPlace,
  { stream }: CatalogList,
  { store, batch }: Since,
): Promise<boolean> {
  const reading = await db
    .selectFrom('readings')
    .select('batch')
    .where('store_id', '=', store)
    .where('stream', '=', stream.name)
    .where('batch', '>', batch)
    .limit(1)
    .executeTakeFirst()
  return reading !== undefined
}

/** Records that stood otherwise, in what the books take from them. */
function corrected(
  { dialect }: RowsPlace,
  { stream, takes }: CatalogList,
  { store, batch }: Since,
): RawBuilder<unknown> {
  const differs = takes.map(
    path => `${dialect.fieldOf('v.raw', path)} IS DISTINCT FROM ${dialect.fieldOf('r.raw', path)}`,
  )
  return sql`
    SELECT v.id, v.to_batch AS batch FROM versions v
    JOIN ${sql.table(rowTable(stream.name))} r ON r.store_id = v.store_id AND r.id = v.id
    WHERE v.stream = ${stream.name} AND v.store_id = ${store} AND v.to_batch > ${batch}
      AND (${sql.raw(differs.join(' OR '))})`
}

/** Records that nobody had read yet. */
const came = ({ stream }: CatalogList, { store, batch }: Since): RawBuilder<unknown> => {
  const ofIt = sql`v.stream = ${stream.name} AND v.store_id = r.store_id AND v.id = r.id`
  return sql`
    SELECT r.id, coalesce(
      (SELECT min(v.from_batch) FROM versions v WHERE ${ofIt}), r.batch) AS batch
    FROM ${sql.table(rowTable(stream.name))} r
    WHERE r.store_id = ${store} AND r.batch > ${batch} AND NOT EXISTS (
      SELECT 1 FROM versions v WHERE ${ofIt} AND v.from_batch <= ${batch})`
}
