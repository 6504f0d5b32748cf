import type { Snapshot } from '../../connectors/destination/snapshot.ts'
import { toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import { fieldsOf, parseRecord, textOf } from '../../text/record-fields.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import { readProduct } from './catalog-facts.ts'

/** So that memory stays flat, however many lots there are. */
const MOST_REMEMBERED = 50_000

/** Products and lots of a store as the database has them; nothing where they were never read. */
export function catalogOf({
  lookUp,
  missingSince,
}: Pick<Snapshot, 'lookUp' | 'missingSince'>): CatalogFacts {
  const category = remembered(lookUp('categories', 'raw'), raw => parseRecord(String(raw)))
  return {
    product: remembered(lookUp('products', 'raw'), raw =>
      readProduct(withCategory(parseRecord(String(raw)), category)),
    ),
    batchCost: remembered(lookUp('batches', 'cost_per_unit'), toAmount),
    batchMissingSince: remembered(missingSince('batches'), String),
  }
}

/** A product that only names its category gets it from the list of them. */
function withCategory(product: Fields, category: (id: string) => Fields | undefined): Fields {
  const id = textOf(product['categoryId'])
  if (id === undefined || Object.keys(fieldsOf(product['category'])).length > 0) return product
  return { ...product, category: category(id) }
}

function remembered<Facts>(
  find: (id: string) => unknown,
  read: (value: unknown) => Facts | undefined,
): (id: string) => Facts | undefined {
  const known = new Map<string, Facts | undefined>()
  return id => {
    const remembered = known.get(id)
    if (remembered !== undefined || known.has(id)) return remembered
    const found = find(id)
    const facts = found === undefined ? undefined : read(found)
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(id, facts)
    return facts
  }
}
