import type { Catalog } from './catalog.ts'
import { makeCatalog } from './catalog.ts'
import type { Members } from './members.ts'
import { makeMembers } from './members.ts'
import type { Stock } from './stock.ts'
import { makeStock } from './stock.ts'
import type { Shop } from './stores.ts'
import type { Transactions } from './transactions.ts'
import { makeTransactions } from './transactions.ts'

/** What a store sold, bought and holds, in numbers, before it becomes records. */
export interface Seeds {
  catalog: Catalog
  stock: Stock
  members: Members
  transactions: Transactions
}

export function makeSeeds(shop: Shop): Seeds {
  const catalog = makeCatalog(shop)
  const stock = makeStock(shop, catalog)
  const members = makeMembers(shop)
  return {
    catalog,
    stock,
    members,
    transactions: makeTransactions(shop, { catalog, stock, members }),
  }
}
