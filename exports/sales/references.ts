import type { Interval } from '../../calendar/interval.ts'
import { openSnapshot } from '../../connectors/database-for-exports.ts'
import type { Stream } from '../../connectors/stream.ts'
import type { Sale } from './sale.ts'
import { salesIn } from './sales.ts'

/**
 * What transactions refer to, by the stream that holds it: first what the books cannot do without.
 * Members are asked for last, they are many.
 */
const REFERENCES: Readonly<Record<string, (sale: Sale) => readonly (string | undefined)[]>> = {
  batches: ({ items }) =>
    items.flatMap(({ batchId, lots }) => [batchId, ...lots.map(lot => lot.batchId)]),
  products: ({ items }) => items.map(({ productId }) => productId),
  vendors: ({ items }) => items.map(({ vendorId }) => vendorId),
  members: ({ memberId }) => [memberId],
}

/**
 * Whether a journal's cost of goods, or the accounts of its lines, depend on records of a stream.
 */
export const isCosted = (stream: string): boolean => stream === 'batches' || stream === 'products'

/** Ids that the transactions of a range of business days name, by stream. */
export async function referencesIn(
  database: string,
  stream: Stream,
  store: string,
  range: Interval,
): Promise<Map<string, string[]>> {
  const found = new Map(Object.keys(REFERENCES).map(name => [name, new Set<string>()]))
  await using snapshot = await openSnapshot(database, { store, ...range })
  for await (const sales of salesIn(snapshot, stream, range))
    for (const [name, ids] of found)
      for (const id of sales.flatMap(({ sale }) => REFERENCES[name]!(sale)))
        if (id !== undefined) ids.add(id)
  return new Map([...found].map(([name, ids]) => [name, [...ids].toSorted()]))
}
