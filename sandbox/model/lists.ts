import { DAY_MS } from '../../calendar/days.ts'
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
import { ownersOf, ownFields } from '../seed/own-fields.ts'
import type { Life, Owner } from '../seed/own-fields.ts'
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
export function makeLists(shop: Shop, seeds: Seeds, recordBytes: number, refundSign: () => 1 | -1) {
  const owners = ownersOf(shop)
  return named({
    transactions: transactionSource(shop, seeds, recordBytes, refundSign),
    ...tradeLists(shop, seeds, owners),
    ...catalogLists(shop, seeds, owners),
    ...houseLists(shop, seeds, owners),
    ...loyaltyLists(shop, seeds, owners),
    ...emptyLists(shop, owners),
    ...paymentLists(shop, seeds, owners),
  })
}

type Owners = ReturnType<typeof ownersOf>

/** Made from numbers at each reading: a million of them are never kept. */
function transactionSource(
  shop: Shop,
  { catalog, transactions }: Seeds,
  recordBytes: number,
  refundSign: () => 1 | -1,
): Source {
  const writer = new TransactionWriter(shop, catalog, makeNested(shop, catalog), recordBytes)
  return {
    owner: ownersOf(shop).shop,
    seeded: {
      ...transactions,
      write: (out, number) => {
        writer.write(out, transactions.transaction(number), refundSign())
      },
    },
  }
}

function tradeLists(shop: Shop, { catalog, stock, members }: Seeds, owners: Owners) {
  const rows = rowsOf(shop)
  return {
    batches: rows('batch', owners.shop, stock.batches, {
      lifeOf: batch => batch,
      record: batch => batchRecord(shop, catalog, batch),
    }),
    members: rows('member', owners.shop, members.all, {
      lifeOf: member => member,
      record: member => memberRecord(shop, members, member),
    }),
    purchase_orders: rows('purchaseOrder', owners.shop, stock.purchaseOrders, {
      lifeOf: order => order,
      record: order => purchaseOrderRecord(shop, catalog, order),
    }),
  }
}

function catalogLists(shop: Shop, { catalog, stock }: Seeds, owners: Owners) {
  const rows = rowsOf(shop)
  const { startMs } = shop.timeline
  const categoryLife = { created: startMs - 1000 * DAY_MS, modified: startMs - 300 * DAY_MS }
  return {
    products: rows('product', owners.shop, catalog.products, {
      lifeOf: product => product,
      record: product => productRecord(shop, catalog, stock, product),
    }),
    vendors: rows('vendor', owners.company, catalog.vendors, {
      lifeOf: vendor => vendor,
      record: vendor => vendorRecord(shop, vendor),
    }),
    categories: rows('category', owners.shop, catalog.categories, {
      first: 1,
      lifeOf: () => categoryLife,
      record: (category, at) => categoryRecord(shop, category, at),
    }),
    brands: rows('brand', owners.company, catalog.brands, {
      first: 1,
      lifeOf: brand => brand.vendor,
      record: brandRecord,
    }),
    batch_quantities: rows('batchQuantity', owners.shop, batchQuantities(catalog, stock), {
      first: 1,
      lifeOf: row => row,
      record: batchQuantityRecord,
    }),
  }
}

function houseLists(shop: Shop, { catalog }: Seeds, owners: Owners) {
  const facts = factsOf(shop)
  const { inventories, terminals, employees, vendors } = catalog
  return {
    inventories: facts(
      'inventory',
      owners.shop,
      inventories.map((_, at) => roomRecord(shop, at)),
    ),
    terminals: facts(
      'terminal',
      owners.shop,
      terminals.map((_, at) => terminalRecord(shop, catalog, at)),
    ),
    employees: facts(
      'employee',
      owners.company,
      employees.map((employee, at) => employeeRecord(shop, catalog, employee, at)),
    ),
    regions: facts(
      'region',
      owners.company,
      shop.zipCodes.map((_, at) => regionRecord(shop, at)),
    ),
    doctors: facts(
      'doctor',
      owners.company,
      Array.from({ length: 8 }, (_, at) => doctorRecord(shop, at)),
    ),
    taxes: facts('tax', owners.shop, taxRecords(shop)),
    company_contacts: facts(
      'contact',
      owners.company,
      vendors.slice(0, 15).map((_, at) => contactRecord(catalog, at)),
    ),
  }
}

function loyaltyLists(shop: Shop, { catalog, members }: Seeds, owners: Owners) {
  const facts = factsOf(shop)
  return {
    promotions: facts('promotion', owners.shop, promotionRecords(shop, catalog)),
    rewards: facts('reward', owners.shop, rewardRecords(shop)),
    loyalty_activity: facts('activity', owners.shop, activityRecords(shop, members)),
  }
}

/** Lists that only operations fill. */
function emptyLists(shop: Shop, owners: Owners) {
  const facts = factsOf(shop)
  return {
    consumer_users: facts('consumerUser', owners.company),
    consumer_carts: facts('consumerCart', owners.shop),
    consumer_order_quantities: facts('consumerOrderQuantity', owners.shop),
    sessions: facts('session', owners.company),
    reconciliations: facts('reconciliation', owners.shop),
    transfer_histories: facts('transfer', owners.shop),
    assets: facts('asset', owners.company),
    asset_files: facts('assetFile', owners.company),
    webhooks: facts('webhook', owners.shop),
    deliveries: facts('delivery', owners.shop),
  }
}

function paymentLists(shop: Shop, { members }: Seeds, owners: Owners) {
  const facts = factsOf(shop)
  return {
    payment_cards: facts('paymentCard', owners.shop, paymentCardRecords(shop)),
    ach_accounts: facts('achAccount', owners.shop, achAccountRecords(shop)),
    ach_transactions: facts('achTransaction', owners.shop, achTransactionRecords(shop, members)),
  }
}

/** How the rows of a list become records. */
interface Recording<Row> {
  /** The number that ids count from; 0 if it is not said. */
  first?: 0 | 1
  /** When it was made and changed. */
  lifeOf: (row: Row) => Life
  /** What it has besides the server's own fields. */
  record: (row: Row, number: number) => object
}

/** Lists whose rows become records when they are first asked for. */
const rowsOf =
  (shop: Shop) =>
  <Row extends object>(
    tag: Tag,
    owner: Owner,
    all: readonly Row[],
    { first = 0, lifeOf, record }: Recording<Row>,
  ): Source => {
    const ids = makeIds(shop.seed, ID_TAGS[tag])
    const texts: Uint8Array[] = []
    const write = (number: number): Uint8Array => {
      const row = all[number]!
      const own = ownFields(ids.of(number + first), owner, lifeOf(row))
      return Buffer.from(JSON.stringify({ ...own, ...record(row, number) }))
    }
    return {
      owner,
      seeded: {
        count: all.length,
        idOf: number => ids.of(number + first),
        numberOf: id => {
          const number = ids.numberOf(id)
          return number === undefined || number < first ? undefined : number - first
        },
        modifiedOf: number => lifeOf(all[number]!).modified,
        write: (out, number) => {
          out.raw((texts[number] ??= write(number)))
        },
      },
    }
  }

/** Short lists of what was there long before the seeded days. */
const factsOf =
  (shop: Shop) =>
  (tag: Tag, owner: Owner, all: readonly { modified?: number }[] = []): Source => {
    const longAgo = shop.timeline.startMs - 40 * DAY_MS
    return rowsOf(shop)(tag, owner, all, {
      first: 1,
      lifeOf: ({ modified = longAgo }) => ({ created: modified, modified }),
      record: fact => fact,
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
