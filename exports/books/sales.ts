import type Database from 'better-sqlite3'
import type { Interval } from '../../calendar/interval.ts'
import { bookedAtSql } from '../../connectors/stream-sql.ts'
import type { Stream } from '../../connectors/stream.ts'
import { catalogOf } from './catalog.ts'
import { readSale } from './read-sale.ts'
import type { Sale } from './sale.ts'

export interface BookedSale {
  sale: Sale
  /** The moment that puts it on a business day. */
  bookedMs: number
  raw: string
}

/**
 * The transactions of one store that ended in a range of business days, by id, one at a time;
 * booked or not. Those that are gone from the API are left out: they can be seen in what they
 * change.
 */
export function* salesIn(
  database: Database.Database,
  stream: Stream,
  store: string,
  range: Interval,
): Generator<BookedSale> {
  if (stream.bookedAt === undefined) throw new Error(`${stream.name} has no business day`)
  const facts = catalogOf(database, store)
  const bookedAt = bookedAtSql(stream.bookedAt)
  const columns = database.pragma(`main.table_info("${stream.name}")`) as { name: string }[]
  const alive = columns.some(({ name }) => name === 'deleted_because')
    ? `AND coalesce(deleted_because, '') <> 'absent'`
    : ''
  const statement = database
    .prepare(
      `SELECT id, raw, ${bookedAt} FROM "${stream.name}" WHERE store_id = @store ${alive}
       AND id IN (SELECT id FROM "${stream.name}" WHERE store_id = @store AND ${bookedAt} >= @startMs AND ${bookedAt} < @endMs) ORDER BY store_id, id`,
    )
    .raw()
  for (const row of statement.iterate({ store, startMs: range.startMs, endMs: range.endMs })) {
    const [id, raw, bookedMs] = row as [string, string, number]
    const sale = readSale(raw, facts)
    // As the tables spell it.
    sale.id = id
    yield { sale, bookedMs, raw }
  }
}
