import {
  brandRecord,
  categoryRecord,
  productRecord,
  vendorRecord,
} from '../seed/catalog-records.ts'
import { ID_TAGS } from '../seed/catalog.ts'
import {
  contactRecord,
  doctorRecord,
  employeeRecord,
  regionRecord,
  roomRecord,
  taxRecords,
  terminalRecord,
} from '../seed/house-records.ts'
import { activityRecords, promotionRecords, rewardRecords } from '../seed/loyalty-records.ts'
import { memberRecord } from '../seed/members.ts'
import { makeNested } from '../seed/nested.ts'
import {
  achAccountRecords,
  achTransactionRecords,
  paymentCardRecords,
} from '../seed/payment-records.ts'
import { batchQuantities, batchQuantityRecord } from '../seed/rooms.ts'
import type { Seeds } from '../seed/seeds.ts'
import { batchRecord, purchaseOrderRecord } from '../seed/stock-records.ts'
import type { Shop } from '../seed/stores.ts'
import { TransactionWriter } from '../seed/transaction-json.ts'
import { makeIds } from '../values/ids.ts'
import type { JsonRecord, Seeded } from './collection.ts'
import { Collection } from './collection.ts'

type Tag = keyof typeof ID_TAGS

interface Source {
  /** What a new record carries of its company and shop. */
  owner: JsonRecord
  seeded: Seeded
}

/** The lists of a store, named as the control routes name them. */
export type Lists = ReturnType<typeof makeLists>
export type ListName = keyof Lists

/**
 * One line for each list of a store: to whom its records belong, their ids, and what is there
 * before anybody changes it. `refundSign` is asked for each refund, as profiles change.
 */
export function makeLists(
  shop: Shop,
  { catalog, stock, members, transactions }: Seeds,
  recordBytes: number,
  refundSign: () => 1 | -1,
) {
  const { companyId, shopId, timeline } = shop
  const shops: JsonRecord = { companyId, shopId }
  const company: JsonRecord = { companyId }
  const writer = new TransactionWriter(shop, catalog, makeNested(shop, catalog), recordBytes)

  /** Records by number; texts are made when first asked for. Ids count from `first`. */
  const rows = <T>(
    tag: Tag,
    first: 0 | 1,
    owner: JsonRecord,
    all: readonly T[],
    modifiedOf: (row: T) => number,
    record: (row: T, id: string, number: number) => object,
  ): Source => {
    const ids = makeIds(shop.seed, ID_TAGS[tag])
    const texts: Uint8Array[] = []
    return {
      owner,
      seeded: {
        count: all.length,
        idOf: number => ids.of(number + first),
        numberOf: id => {
          const number = ids.numberOf(id)
          return number === undefined || number < first ? undefined : number - first
        },
        modifiedOf: number => modifiedOf(all[number]!),
        write: (out, number) => {
          out.raw(
            (texts[number] ??= Buffer.from(
              JSON.stringify(record(all[number]!, ids.of(number + first), number)),
            )),
          )
        },
      },
    }
  }
  /** Short lists of what was there long before the seeded days. */
  const facts = (tag: Tag, owner: JsonRecord, all: readonly object[] = []): Source => {
    const modifiedOf = (fact: object): number =>
      'modified' in fact ? Number(fact.modified) : timeline.startMs - 40 * 86_400_000
    return rows(tag, 1, owner, all, modifiedOf, (fact, id) => ({
      id,
      ...owner,
      created: modifiedOf(fact),
      modified: modifiedOf(fact),
      deleted: false,
      updated: false,
      ...fact,
    }))
  }
  const modified = (row: { modified: number }): number => row.modified

  return named({
    transactions: {
      owner: shops,
      seeded: {
        ...transactions,
        write: (out, number) => {
          writer.write(out, transactions.transaction(number), refundSign())
        },
      },
    },
    batches: rows('batch', 0, shops, stock.batches, modified, batch =>
      batchRecord(shop, catalog, batch),
    ),
    members: rows('member', 0, shops, members.all, modified, member =>
      memberRecord(shop, members, member),
    ),
    purchase_orders: rows('purchaseOrder', 0, shops, stock.purchaseOrders, modified, order =>
      purchaseOrderRecord(shop, catalog, order),
    ),
    products: rows('product', 0, shops, catalog.products, modified, product =>
      productRecord(shop, catalog, stock, product),
    ),
    vendors: rows('vendor', 0, company, catalog.vendors, modified, vendor =>
      vendorRecord(shop, vendor),
    ),
    categories: rows(
      'category',
      1,
      shops,
      catalog.categories,
      () => timeline.startMs - 300 * 86_400_000,
      (category, _id, at) => categoryRecord(shop, category, at),
    ),
    brands: rows(
      'brand',
      1,
      company,
      catalog.brands,
      brand => brand.vendor.modified,
      brand => brandRecord(shop, brand),
    ),
    batch_quantities: rows(
      'batchQuantity',
      1,
      shops,
      batchQuantities(catalog, stock),
      modified,
      (row, id) => ({
        id,
        ...shops,
        modified: row.modified,
        deleted: false,
        updated: false,
        ...batchQuantityRecord(row),
      }),
    ),
    inventories: facts(
      'inventory',
      shops,
      catalog.inventories.map((_, at) => roomRecord(shop, at)),
    ),
    terminals: facts(
      'terminal',
      shops,
      catalog.terminals.map((_, at) => terminalRecord(shop, catalog, at)),
    ),
    employees: facts(
      'employee',
      company,
      catalog.employees.map((employee, at) => employeeRecord(shop, catalog, employee, at)),
    ),
    regions: facts(
      'region',
      company,
      shop.zipCodes.map((_, at) => regionRecord(shop, at)),
    ),
    doctors: facts(
      'doctor',
      company,
      Array.from({ length: 8 }, (_, at) => doctorRecord(shop, at)),
    ),
    taxes: facts('tax', shops, taxRecords(shop)),
    company_contacts: facts(
      'contact',
      company,
      catalog.vendors.slice(0, 15).map((_, at) => contactRecord(catalog, at)),
    ),
    promotions: facts('promotion', shops, promotionRecords(shop, catalog)),
    rewards: facts('reward', shops, rewardRecords(shop)),
    loyalty_activity: facts('activity', shops, activityRecords(shop, members)),
    consumer_users: facts('consumerUser', company),
    consumer_carts: facts('consumerCart', shops),
    consumer_order_quantities: facts('consumerOrderQuantity', shops),
    sessions: facts('session', company),
    reconciliations: facts('reconciliation', shops),
    transfer_histories: facts('transfer', shops),
    assets: facts('asset', company),
    asset_files: facts('assetFile', company),
    webhooks: facts('webhook', shops),
    deliveries: facts('delivery', shops),
    payment_cards: facts('paymentCard', shops, paymentCardRecords(shop)),
    ach_accounts: facts('achAccount', shops, achAccountRecords(shop)),
    ach_transactions: facts('achTransaction', shops, achTransactionRecords(shop, members)),
  })
}

function named<Name extends string>(
  sources: Record<Name, Source>,
): Readonly<Record<Name, Collection>> {
  return Object.fromEntries(
    Object.entries<Source>(sources).map(([name, { owner, seeded }]) => [
      name,
      new Collection(name, seeded, owner),
    ]),
  ) as Record<Name, Collection>
}
