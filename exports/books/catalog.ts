import type Database from 'better-sqlite3'
import { toAmount } from './amount.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import { readProduct } from './catalog-facts.ts'
import type { Fields } from './record.ts'
import { fieldsOf, parseRecord, textOf } from './record.ts'

/** So that memory stays flat, however many lots there are. */
const MOST_REMEMBERED = 50_000

/** Products and lots of a store as the database has them; nothing where they were never read. */
export function catalogOf(database: Database.Database, store: string): CatalogFacts {
  const of = <Facts>(place: Place, read: (value: unknown) => Facts | undefined) =>
    remembered(database, store, place, read)
  const category = of({ view: 'categories', column: 'raw' }, raw => parseRecord(String(raw)))
  return {
    product: of({ view: 'products', column: 'raw' }, raw =>
      readProduct(withCategory(parseRecord(String(raw)), category)),
    ),
    batchCost: of({ view: 'batches', column: 'cost_per_unit' }, toAmount),
    batchMissingSince: of(
      { view: 'missing_records', column: 'asked_at', where: `stream = 'batches' AND` },
      String,
    ),
  }
}

/** A product that only names its category gets it from the list of them. */
function withCategory(product: Fields, category: (id: string) => Fields | undefined): Fields {
  const id = textOf(product['categoryId'])
  if (id === undefined || Object.keys(fieldsOf(product['category'])).length > 0) return product
  return { ...product, category: category(id) }
}

interface Place {
  view: string
  column: string
  where?: string
}

function remembered<Facts>(
  database: Database.Database,
  store: string,
  { view, column, where = '' }: Place,
  read: (value: unknown) => Facts | undefined,
): (id: string) => Facts | undefined {
  const columns = database.pragma(`main.table_info("${view}")`) as { name: string }[]
  if (!columns.some(({ name }) => name === column)) return () => undefined
  const statement = database
    .prepare(`SELECT "${column}" FROM "${view}" WHERE ${where} store_id = ? AND id = ?`)
    .pluck()
  const known = new Map<string, Facts | undefined>()
  return id => {
    const remembered = known.get(id)
    if (remembered !== undefined || known.has(id)) return remembered
    const found = statement.get(store, id)
    const facts = found === undefined || found === null ? undefined : read(found)
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(id, facts)
    return facts
  }
}
