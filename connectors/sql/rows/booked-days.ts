import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { DAY_MS, fromIso } from '../../../calendar/days.ts'
import type { Interval } from '../../../calendar/days.ts'
import type { BookedDays, ChangedMinute, ShownDay } from '../../destination/booked-days.ts'
import { bookedAtSql, rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import type { Statements } from '../connection.ts'
import { areBooksShown, correctedDays } from './corrected-days.ts'
import type { RowDialect, RowsPlace } from './living-rows.ts'

/** The table `booked_days`, and the rows and versions that tell what changed since. */
export const createBookedDays = ({ db, dialect }: RowsPlace, writer: Statements): BookedDays => ({
  async remember({ store, day, manifest, batch }) {
    const statement = db
      .insertInto('booked_days')
      .values({ store_id: store, day, manifest, batch })
      .onConflict(conflict =>
        conflict.columns(['store_id', 'day']).doUpdateSet({ manifest, batch }),
      )
    await writer.execute(statement.compile())
  },
  async all(store) {
    const rows = await db
      .selectFrom('booked_days')
      .selectAll()
      .where('store_id', '=', store)
      .execute()
    return rows.map(({ day, manifest, batch }) => ({ store, day, manifest, batch }))
  },
  holdUpTo: (days, batch) =>
    writer.executeAll(
      days.map(({ store, day, manifest }) =>
        db
          .updateTable('booked_days')
          .set({ batch })
          .where('store_id', '=', store)
          .where('day', '=', day)
          .where('manifest', '=', manifest)
          .where('batch', '<', batch)
          .compile(),
      ),
    ),
  async newestBatch() {
    const newest = db.selectFrom('readings').select(({ fn }) => fn.max('batch').as('batch'))
    return (await newest.executeTakeFirst())?.batch ?? 0
  },
  hasChanged: (store, stream, day, batch) =>
    hasChanged({ db, dialect }, stream, { store, day, batch }),
  changedSince: (store, stream, batch) => changedSince({ db, dialect }, stream, { store, batch }),
  correctedSince: (store, lists, batch) => correctedDays({ db, dialect }, lists, { store, batch }),
  async countUpTo(most, store, stream, { startMs, endMs }) {
    const bookedAt = sql.raw(bookedAtSql(stream.bookedAt!))
    const found = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (
        SELECT 1 AS one FROM ${sql.table(rowTable(stream.name))}
        WHERE store_id = ${store} AND ${bookedAt} >= ${startMs} AND ${bookedAt} < ${endMs}
        LIMIT ${most}
      ) AS found`.execute(db)
    return found.rows[0]!.count
  },
  shown: (store, days) => shownDays({ db, dialect }, store, days),
})

/**
 * By the times of the windows that were read since: to compare all rows would read gigabytes
 * after each sync. A row that its API listed by another time than `modified` may lie outside.
 */
async function changedSince(
  { db, dialect }: RowsPlace,
  stream: Stream,
  { store, batch }: { store: string; batch: number },
): Promise<ChangedMinute[]> {
  const read = await db
    .selectFrom('readings')
    .select(({ fn }) => [fn.min('window_start').as('start'), fn.max('window_end').as('end')])
    .where('store_id', '=', store)
    .where('stream', '=', stream.name)
    .where('batch', '>', batch)
    .executeTakeFirst()
  if (typeof read?.start !== 'string') return []
  const [firstMs, endMs] = [fromIso(read.start) - DAY_MS, fromIso(read.end) + DAY_MS]
  const minute = (bookedAt: string) => sql.raw(`${bookedAt} / 60000 * 60000`)
  const cursor = sql.ref(`r.${stream.cursor}`)
  // Each is looked up in the index of these times; of both at once, all rows would be read.
  const rowsWhere = (inside: RawBuilder<unknown>) => sql`
      SELECT ${minute(bookedAtSql(stream.bookedAt!))} AS ms, r.batch
      FROM ${sql.table(rowTable(stream.name))} r
      WHERE r.store_id = ${store} AND r.batch > ${batch} AND ${inside}`
  const found = await sql<ChangedMinute>`
    SELECT ms, max(batch) AS batch FROM (
      ${rowsWhere(sql`${cursor} IS NULL`)}
      UNION ALL
      ${rowsWhere(sql`${cursor} >= ${firstMs} AND ${cursor} < ${endMs}`)}
      UNION ALL
      SELECT ${minute(stoodAtSql(dialect, stream))}, r.to_batch FROM versions r
      WHERE r.stream = ${stream.name} AND r.store_id = ${store} AND r.to_batch > ${batch}
    ) AS changed WHERE ms IS NOT NULL GROUP BY ms`.execute(db)
  return found.rows
}

/** The moment that booked a version `r`; a number in a text is a time, as it is to the tables. */
function stoodAtSql(dialect: RowDialect, { bookedAt }: Stream): string {
  const times = bookedAt!.map(
    path => `nullif(CAST(CAST(${dialect.fieldOf('r.raw', path)} AS numeric) AS bigint), 0)`,
  )
  return `coalesce(${times.join(', ')})`
}

async function shownDays(
  { db, dialect }: RowsPlace,
  store: string,
  range?: { from: string; to: string },
): Promise<{ days: ShownDay[]; until: number }> {
  if (!(await areBooksShown({ db, dialect }))) return { days: [], until: 0 }
  const refreshed = await sql<{ batch: number }>`
    SELECT batch FROM books_refreshed WHERE store_id = ${store}`.execute(db)
  const view = (name: string) => sql.table(dialect.viewOf(name))
  const isAsked = (day: string) =>
    range === undefined
      ? sql`true`
      : sql`${sql.ref(day)} >= ${range.from} AND ${sql.ref(day)} < ${range.to}`
  const found = await sql<Omit<ShownDay, 'costsCame'> & { came: boolean | 0 | 1 }>`
    SELECT d.business_date AS day, d.batch, d.time_zone AS "timeZone",
      d.day_starts_at AS "dayStartsAt", d.business_date IN (
        SELECT i.business_date FROM ${view('books_items')} i
        WHERE i.store_id = ${store} AND ${isAsked('i.business_date')}
          AND i.cost_source = 'missing' AND EXISTS (
          SELECT 1 FROM ${view('books_lots')} l
          JOIN batches b ON b.store_id = l.store_id AND b.id = l.batch_id
          WHERE l.store_id = i.store_id AND l.transaction_id = i.transaction_id
            AND l.line_no = i.line_no AND b.cost_per_unit IS NOT NULL)
      ) AS came
    FROM books_days d WHERE d.store_id = ${store} AND ${isAsked('d.business_date')}
    ORDER BY d.business_date`.execute(db)
  return {
    days: found.rows.map(({ came, ...shown }) => ({ ...shown, costsCame: Boolean(came) })),
    until: refreshed.rows[0]?.batch ?? 0,
  }
}

async function hasChanged(
  { db, dialect }: RowsPlace,
  stream: Stream,
  { store, day, batch }: { store: string; day: Interval; batch: number },
): Promise<boolean> {
  const inDay = (bookedAt: string) =>
    sql`${sql.raw(bookedAt)} >= ${day.startMs} AND ${sql.raw(bookedAt)} < ${day.endMs}`
  const found = await sql`
    SELECT 1 FROM ${sql.table(rowTable(stream.name))} r
    WHERE r.store_id = ${store} AND ${inDay(bookedAtSql(stream.bookedAt!))} AND r.batch > ${batch}
    UNION ALL
    SELECT 1 FROM versions r
    WHERE r.stream = ${stream.name} AND r.store_id = ${store}
      AND ${inDay(stoodAtSql(dialect, stream))} AND r.to_batch > ${batch}
    LIMIT 1`.execute(db)
  return found.rows.length > 0
}
