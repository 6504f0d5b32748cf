import type Database from 'better-sqlite3'
import { toAmount } from './amount.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import { readProduct } from './catalog-facts.ts'
import { parseRecord } from './record.ts'

/** So that memory stays flat, however many lots there are. */
const MOST_REMEMBERED = 50_000

/** Products and lots of a store as the database has them; nothing where they were never read. */
export function catalogOf(database: Database.Database, store: string): CatalogFacts {
  return {
    product: remembered(database, 'products', 'raw', store, raw =>
      readProduct(parseRecord(String(raw))),
    ),
    batchCost: remembered(database, 'batches', 'cost_per_unit', store, cost => toAmount(cost)),
  }
}

function remembered<Facts>(
  database: Database.Database,
  view: string,
  column: string,
  store: string,
  read: (value: unknown) => Facts | undefined,
): (id: string) => Facts | undefined {
  const columns = database.pragma(`main.table_info("${view}")`) as { name: string }[]
  if (!columns.some(({ name }) => name === column)) return () => undefined
  const statement = database
    .prepare(`SELECT "${column}" FROM "${view}" WHERE store_id = ? AND id = ?`)
    .pluck()
  const known = new Map<string, Facts | undefined>()
  return id => {
    if (!known.has(id)) {
      if (known.size >= MOST_REMEMBERED) known.clear()
      const found = statement.get(store, id)
      known.set(id, found === undefined || found === null ? undefined : read(found))
    }
    return known.get(id)
  }
}
