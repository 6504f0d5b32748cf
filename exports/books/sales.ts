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

/** The transactions of one store that ended in a range of business days, one at a time. */
export function* salesIn(
  database: Database.Database,
  stream: Stream,
  store: string,
  range: Interval,
): Generator<BookedSale> {
  const saleOf = createSaleReader(database, stream, store)
  for (const id of saleIdsIn(database, stream, store, range)) yield saleOf(id)
}

/**
 * The ids of the transactions of one store that ended in a range of business days, in their order;
 * booked or not. Those that are gone from the API are left out: they can be seen in what they
 * change.
 */
export function saleIdsIn(
  database: Database.Database,
  stream: Stream,
  store: string,
  range: Interval,
): IterableIterator<string> {
  const columns = database.pragma(`main.table_info("${stream.name}")`) as { name: string }[]
  const alive = columns.some(({ name }) => name === 'deleted_because')
    ? `AND coalesce(deleted_because, '') <> 'absent'`
    : ''
  const bookedAt = bookedAtOf(stream)
  const statement = database
    .prepare(
      `SELECT id FROM "${stream.name}" WHERE store_id = @store ${alive}
       AND ${bookedAt} >= @startMs AND ${bookedAt} < @endMs ORDER BY id`,
    )
    .pluck()
  return statement.iterate({
    store,
    startMs: range.startMs,
    endMs: range.endMs,
  }) as IterableIterator<string>
}

/** How many there are, roughly: also those that are gone. */
export function countSalesIn(
  database: Database.Database,
  stream: Stream,
  store: string,
  { startMs, endMs }: Interval,
): number {
  const bookedAt = bookedAtOf(stream)
  return database
    .prepare<unknown[], number>(
      `SELECT count(*) FROM "${stream.name}"
       WHERE store_id = ? AND ${bookedAt} >= ? AND ${bookedAt} < ?`,
    )
    .pluck()
    .get(store, startMs, endMs)!
}

/** Reads transactions of one store by their ids. */
export function createSaleReader(
  database: Database.Database,
  stream: Stream,
  store: string,
): (id: string) => BookedSale {
  const facts = catalogOf(database, store)
  const statement = database
    .prepare(
      `SELECT raw, ${bookedAtOf(stream)} FROM "${stream.name}" WHERE store_id = ? AND id = ?`,
    )
    .raw()
  return id => {
    const [raw, bookedMs] = statement.get(store, id) as [string, number]
    const sale = readSale(raw, facts)
    // As the tables spell it.
    sale.id = id
    return { sale, bookedMs, raw }
  }
}

function bookedAtOf({ name, bookedAt }: Stream): string {
  if (bookedAt === undefined) throw new Error(`${name} has no business day`)
  return bookedAtSql(bookedAt)
}
