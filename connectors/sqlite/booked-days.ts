import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Interval } from '../../calendar/interval.ts'
import type { BookedDays } from '../destination/booked-days.ts'
import { bookedAtSql } from '../stream-sql.ts'
import type { Stream } from '../stream.ts'
import type { Schema } from './schema.ts'
import { rowTable } from './sql-text.ts'
import type { Writer } from './writer.ts'

/** The table `booked_days`, and the rows and versions that tell what changed since. */
export const createBookedDays = (db: Kysely<Schema>, writer: Writer): BookedDays => ({
  async remember({ store, day, manifest, batch }) {
    const statement = db
      .insertInto('booked_days')
      .values({ store_id: store, day, manifest, batch })
      .onConflict(conflict =>
        conflict.columns(['store_id', 'day']).doUpdateSet({ manifest, batch }),
      )
    await writer.execute(statement.compile())
  },
  async lookedAt(store, day) {
    const row = await db
      .selectFrom('booked_days')
      .selectAll()
      .where('store_id', '=', store)
      .where('day', '=', day)
      .executeTakeFirst()
    return row === undefined ? undefined : { store, day, manifest: row.manifest, batch: row.batch }
  },
  async newestBatch() {
    const newest = db.selectFrom('readings').select(({ fn }) => fn.max('batch').as('batch'))
    return (await newest.executeTakeFirst())?.batch ?? 0
  },
  hasChanged: (store, stream, day, batch) => hasChanged(db, stream, { store, day, batch }),
})

async function hasChanged(
  db: Kysely<Schema>,
  stream: Stream,
  { store, day, batch }: { store: string; day: Interval; batch: number },
): Promise<boolean> {
  const inDay = (bookedAt: string) =>
    sql`${sql.raw(bookedAt)} >= ${day.startMs} AND ${sql.raw(bookedAt)} < ${day.endMs}`
  const stood = stream.bookedAt!.map(path => `nullif(r.raw ->> '$.${path}', 0)`).join(', ')
  const found = await sql`
    SELECT 1 FROM ${sql.table(rowTable(stream.name))} r
    WHERE r.store_id = ${store} AND ${inDay(bookedAtSql(stream.bookedAt!))} AND r.batch > ${batch}
    UNION ALL
    SELECT 1 FROM versions r
    WHERE r.stream = ${stream.name} AND r.store_id = ${store}
      AND ${inDay(`coalesce(${stood})`)} AND r.to_batch > ${batch}
    LIMIT 1`.execute(db)
  return found.rows.length > 0
}
