import type { Settings } from '../options.ts'
import type { Catalog } from '../seed/catalog.ts'
import { makeSeeds } from '../seed/seeds.ts'
import type { Shop } from '../seed/stores.ts'
import { makeShops } from '../seed/stores.ts'
import type { Transactions } from '../seed/transactions.ts'
import { StockRoom } from '../stock/stock-room.ts'
import type { Lists } from './lists.ts'
import { makeLists } from './lists.ts'

/** One store: what it is and what it holds. A route sees one of them and no other. */
export interface World {
  shop: Shop
  catalog: Catalog
  lists: Lists
  /** Transactions in numbers, for those who check the money. */
  transactions: Transactions
  /** How much of which batch lies in which room, and the one way to change it. */
  stock: StockRoom
}

/** Everything that the stores hold. `refundSign` is asked for each refund, as profiles change. */
export function makeWorlds(settings: Settings, refundSign: () => 1 | -1): World[] {
  return makeShops(settings).map(shop => {
    const seeds = makeSeeds(shop)
    const lists = makeLists(shop, seeds, settings.recordBytes, refundSign)
    return {
      shop,
      catalog: seeds.catalog,
      lists,
      transactions: seeds.transactions,
      stock: new StockRoom(lists),
    }
  })
}
