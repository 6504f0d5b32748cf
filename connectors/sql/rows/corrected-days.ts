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
 * Business days in the views of the books of which a line names a record of these lists from which
 * the books took something else at a reading.
 */
export async function correctedDays(
  place: RowsPlace,
  lists: readonly CatalogList[],
  since: Since,
): Promise<ChangedDay[]> {
  const read = await readSince(place, lists, since)
  // As a rule nothing was, and nothing more is asked.
  if (read.length === 0 || !(await areBooksShown(place))) return []
  const days: ChangedDay[] = []
  for (const list of read) days.push(...(await daysOfList(place, list, since)))
  return days
}

async function readSince(
  { db }: RowsPlace,
  lists: readonly CatalogList[],
  { store, batch }: Since,
): Promise<CatalogList[]> {
  const names = lists.map(({ stream }) => stream.name)
  const read = await db
    .selectFrom('readings')
    .select('stream')
    .distinct()
    .where('store_id', '=', store)
    .where('batch', '>', batch)
    .where('stream', 'in', names)
    .execute()
  return lists.filter(({ stream }) => read.some(one => one.stream === stream.name))
}

async function daysOfList(
  place: RowsPlace,
  list: CatalogList,
  since: Since,
): Promise<ChangedDay[]> {
  const changed =
    // Lots are too many to be all looked at; one that comes late is a cost that comes.
    list.stream.windowing === 'full-refresh'
      ? sql`${corrected(place, list, since)} UNION ALL ${came(list, since)}`
      : corrected(place, list, since)
  // Most often none was, and the lines are not looked at.
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

/** Whether there are views of the books: they are made when the first day is computed. */
export async function areBooksShown({ db, dialect }: RowsPlace): Promise<boolean> {
  const table = await sql.raw(dialect.findTable('books_refreshed')).execute(db)
  return table.rows.length > 0
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
const came = ({ stream }: CatalogList, { store, batch }: Since): RawBuilder<unknown> => sql`
  SELECT r.id, r.first_batch AS batch FROM ${sql.table(rowTable(stream.name))} r
  WHERE r.store_id = ${store} AND r.first_batch > ${batch}`
