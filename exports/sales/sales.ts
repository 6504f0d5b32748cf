import type { Interval } from '../../calendar/interval.ts'
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
 * The transactions of the snapshot's store that ended in a range of business days, one at a time
 * and in the order of their ids; booked or not. Those that are gone from the API are left out: they
 * can be seen in what they change.
 */
export function* salesIn(
  snapshot: Snapshot,
  stream: Stream,
  range: Interval,
): Generator<BookedSale> {
  const facts = catalogOf(snapshot)
  const records = snapshot.booked(stream)
  for (const id of records.ids(range)) {
    const { raw, bookedMs } = records.record(id)
    const sale = readSale(raw, facts)
    // As the tables spell it.
    sale.id = id
    yield { sale, bookedMs, raw }
  }
}
