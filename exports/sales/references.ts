import type { Interval } from '../../calendar/days.ts'
import { openSnapshot } from '../../connectors/database-for-exports.ts'
import type { CatalogList } from '../../connectors/destination/booked-days.ts'
import type { Stream } from '../../connectors/stream.ts'
import { BOOKED_FACTS } from './catalog-facts.ts'
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

const LINES = 'books_items'

/**
 * Whose corrections change a journal: what it takes from such a record, and where the views of the
 * books name it.
 */
export const CORRECTIONS: Readonly<Record<string, Pick<CatalogList, 'takes' | 'namedIn'>>> = {
  batches: {
    takes: BOOKED_FACTS.batch,
    namedIn: [
      { view: LINES, column: 'batch_id' },
      { view: 'books_lots', column: 'batch_id' },
    ],
  },
  products: {
    takes: BOOKED_FACTS.product,
    namedIn: [{ view: LINES, column: 'product_id' }],
  },
  categories: {
    takes: BOOKED_FACTS.category,
    namedIn: [{ view: LINES, column: 'category_id' }],
  },
}

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
