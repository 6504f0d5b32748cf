import type { Collection as Records, Seeded } from './collection.ts'
import { Collection } from './collection.ts'
import type { Ids } from './ids.ts'
import { makeIds } from './ids.ts'
import type { Settings } from './options.ts'
import type { Catalog } from './seed/catalog.ts'
import { ID_TAGS, makeCatalog } from './seed/catalog.ts'
import { brandRecord, categoryRecord, productRecord, vendorRecord } from './seed/catalog-records.ts'
import { makeMembers, memberRecord } from './seed/members.ts'
import { makeNested } from './seed/nested.ts'
import { batchRecord, purchaseOrderRecord } from './seed/stock-records.ts'
import { makeStock } from './seed/stock.ts'
import { TransactionWriter } from './seed/transaction-json.ts'
import type { Transactions } from './seed/transactions.ts'
import { makeTransactions } from './seed/transactions.ts'
import type { Shop } from './stores.ts'
import { makeShops } from './stores.ts'

/** The lists of a store, named as the control routes name them. */
export interface Lists {
  transactions: Records
  batches: Records
  members: Records
  purchase_orders: Records
  products: Records
  vendors: Records
}

export type ListName = keyof Lists

export interface World {
  shop: Shop
  catalog: Catalog
  lists: Lists
  /** Transactions in numbers, for those who check the money. */
  transactions: Transactions
  /** By id, as JSON text. */
  categories: ReadonlyMap<string, string>
  /** The brands of a vendor as a JSON list. */
  brandListOf(vendorId: string): string
}

/** Everything that the stores hold. `refundSign` is asked for each refund, as profiles change. */
export function makeWorlds(settings: Settings, refundSign: () => 1 | -1): World[] {
  return makeShops(settings).map((shop) => makeWorld(shop, settings.recordBytes, refundSign))
}

function makeWorld(shop: Shop, recordBytes: number, refundSign: () => 1 | -1): World {
  const catalog = makeCatalog(shop)
  const stock = makeStock(shop, catalog)
  const members = makeMembers(shop)
  const transactions = makeTransactions(shop, catalog, stock, members)
  const writer = new TransactionWriter(shop, catalog, makeNested(shop, catalog), recordBytes)
  const ids = (tag: keyof typeof ID_TAGS): Ids => makeIds(shop.seed, ID_TAGS[tag])
  const listOf = <T extends { id: string; modified: number }>(name: ListName, tag: keyof typeof ID_TAGS, rows: readonly T[], record: (row: T) => object): Records => {
    const texts: Uint8Array[] = []
    const known = ids(tag)
    const seeded: Seeded = { count: rows.length, idOf: (number) => known.of(number), numberOf: (id) => known.numberOf(id), modifiedOf: (number) => rows[number]!.modified, write: (out, number) => { out.raw((texts[number] ??= Buffer.from(JSON.stringify(record(rows[number]!))))) } }
    return new Collection(name, seeded)
  }
  return {
    shop,
    catalog,
    transactions,
    lists: {
      transactions: new Collection('transactions', { ...transactions, write: (out, number) => { writer.write(out, transactions.transaction(number), refundSign()) } }),
      batches: listOf('batches', 'batch', stock.batches, (batch) => batchRecord(shop, catalog, batch)),
      members: listOf('members', 'member', members.all, (member) => memberRecord(shop, members, member)),
      purchase_orders: listOf('purchase_orders', 'purchaseOrder', stock.purchaseOrders, (order) => purchaseOrderRecord(shop, catalog, order)),
      products: listOf('products', 'product', catalog.products, (product) => productRecord(shop, catalog, stock, product)),
      vendors: listOf('vendors', 'vendor', catalog.vendors, (vendor) => vendorRecord(shop, vendor)),
    },
    categories: new Map(catalog.categories.map((category, at) => [category.id, JSON.stringify(categoryRecord(shop, category, at))])),
    brandListOf: (vendorId) => JSON.stringify(catalog.brands.filter((brand) => brand.vendor.id === vendorId).map((brand) => brandRecord(shop, brand))),
  }
}
