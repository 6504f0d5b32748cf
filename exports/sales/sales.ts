import type { Interval } from '../../calendar/days.ts'
import type { Snapshot } from '../../connectors/destination/snapshot.ts'
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
 * The transactions of the snapshot's store that ended in a range of business days, some hundred at
 * a time and in the order of their ids; booked or not. Those that are gone from the API are left
 * out: they can be seen in what they change.
 */
export async function* salesIn(
  snapshot: Snapshot,
  stream: Stream,
  range: Interval,
): AsyncGenerator<BookedSale[]> {
  const catalog = catalogOf(snapshot)
  for await (const records of snapshot.booked(stream, range))
    yield await catalog.readAll(records, ({ id, raw, bookedMs }, facts) => {
      const sale = readSale(raw, facts)
      // As the tables spell it.
      sale.id = id
      return { sale, bookedMs, raw }
    })
}

/** All of them: of a day, or of some. */
export async function allSales(
  snapshot: Snapshot,
  stream: Stream,
  range: Interval,
): Promise<Sale[]> {
  const all: Sale[] = []
  for await (const booked of salesIn(snapshot, stream, range))
    for (const { sale } of booked) all.push(sale)
  return all
}
