import type { LookUp, Snapshot } from '../../connectors/destination/snapshot.ts'
import { toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import { fieldsOf, parseRecord, textOf } from '../../text/record-fields.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import { readProduct } from './catalog-facts.ts'

/** So that memory stays flat, however many lots there are. */
const MOST_REMEMBERED = 50_000

/** Products and lots of a store as the database has them; nothing where they were never read. */
export interface Catalog {
  /**
   * Reads each of these, with everything that it asks the catalog for. What is asked for the first
   * time is looked up for all of them together, and those that asked are read again.
   */
  readAll<Item, Answer>(
    items: readonly Item[],
    read: (item: Item, facts: CatalogFacts) => Answer,
  ): Promise<Answer[]>
}

export function catalogOf({
  lookUp,
  missingSince,
}: Pick<Snapshot, 'lookUp' | 'missingSince'>): Catalog {
  const categories = remembered(lookUp('categories', 'raw'), raw => parseRecord(String(raw)))
  const products = remembered(lookUp('products', 'raw'), raw => parseRecord(String(raw)))
  const costs = remembered(lookUp('batches', 'cost_per_unit'), toAmount)
  const missing = remembered(missingSince('batches'), String)
  const lists = [categories, products, costs, missing]
  const facts: CatalogFacts = {
    product(id) {
      const product = products.find(id)
      return product && readProduct(withCategory(product, categories.find))
    },
    batchCost: costs.find,
    batchMissingSince: missing.find,
  }
  const asked = (): number => lists.reduce((sum, { waiting }) => sum + waiting(), 0)
  return {
    async readAll(items, read) {
      const answers: ReturnType<typeof read>[] = []
      let left = [...items.keys()]
      while (left.length > 0) {
        const lacking: number[] = []
        for (const at of left) {
          const before = asked()
          answers[at] = read(items[at]!, facts)
          if (asked() > before) lacking.push(at)
        }
        for (const list of lists) await list.load()
        left = lacking
      }
      return answers
    },
  }
}

/** A product that only names its category gets it from the list of them. */
function withCategory(product: Fields, category: (id: string) => Fields | undefined): Fields {
  const id = textOf(product['categoryId'])
  if (id === undefined || Object.keys(fieldsOf(product['category'])).length > 0) return product
  return { ...product, category: category(id) }
}

interface Remembered<Facts> {
  /** Undefined too for what is not known yet: then it waits to be loaded. */
  find: (id: string) => Facts | undefined
  /** How often something was asked for that is not known yet. */
  waiting: () => number
  load: () => Promise<void>
}

function remembered<Facts>(
  lookUp: LookUp,
  read: (value: unknown) => Facts | undefined,
): Remembered<Facts> {
  const known = new Map<string, Facts | undefined>()
  const wanted = new Set<string>()
  let waiting = 0
  return {
    find(id) {
      const facts = known.get(id)
      if (facts !== undefined || known.has(id)) return facts
      wanted.add(id)
      waiting++
      return undefined
    },
    waiting: () => waiting,
    async load() {
      waiting = 0
      if (wanted.size === 0) return
      if (known.size >= MOST_REMEMBERED) known.clear()
      const found = await lookUp([...wanted])
      for (const id of wanted) known.set(id, found.has(id) ? read(found.get(id)) : undefined)
      wanted.clear()
    },
  }
}
