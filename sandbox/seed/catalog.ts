import { DAY_MS } from '../../calendar/days.ts'
import type { Ids } from '../values/ids.ts'
import { makeIds } from '../values/ids.ts'
import { Dice, mix } from '../values/random.ts'
import type { CategoryWords } from './names.ts'
import { BRANDS, CATEGORIES, FIRST_NAMES, LAST_NAMES, ROOMS, STRAINS, VENDORS } from './names.ts'
import type { Shop } from './stores.ts'

export interface Category extends CategoryWords {
  id: string
}

export interface Brand {
  id: string
  name: string
  vendor: Vendor
}

export interface Vendor {
  id: string
  number: number
  name: string
  brands: Brand[]
  created: number
  modified: number
}

export interface Product {
  id: string
  number: number
  name: string
  sku: string
  category: Category
  brand: Brand
  vendor: Vendor
  /** Cents for one piece, or for one gram if weighed. */
  unitPrice: number
  unitCost: number
  thcHundredths: number
  created: number
  modified: number
  deleted: boolean
}

export interface Employee {
  id: string
  firstName: string
  lastName: string
  pin: string
}

/** Everything of a store that its records refer to, except who bought. */
export interface Catalog {
  categories: readonly Category[]
  brands: readonly Brand[]
  vendors: readonly Vendor[]
  products: readonly Product[]
  employees: readonly Employee[]
  terminals: readonly string[]
  /** Rooms, in the order of `ROOMS`: the sales floor, the vault, quarantine, ... */
  inventories: readonly string[]
}

/** Tags that keep the ids of a store's lists apart. */
export const ID_TAGS = {
  category: 3,
  brand: 4,
  vendor: 5,
  product: 6,
  employee: 7,
  terminal: 8,
  inventory: 9,
  purchaseOrder: 10,
  batch: 11,
  member: 12,
  transaction: 13,
  line: 14,
  memberGroup: 15,
  role: 16,
  region: 17,
  doctor: 18,
  tax: 19,
  contact: 20,
  promotion: 21,
  reward: 22,
  activity: 23,
  consumerUser: 24,
  consumerCart: 25,
  consumerOrderQuantity: 26,
  reconciliation: 27,
  transfer: 28,
  batchQuantity: 29,
  asset: 30,
  assetFile: 31,
  webhook: 32,
  achAccount: 33,
  achTransaction: 34,
  paymentCard: 35,
  session: 36,
  delivery: 37,
} as const

const YEAR_MS = 365 * DAY_MS
const PRODUCTS = 250

export function makeCatalog(shop: Shop): Catalog {
  const dice = new Dice(mix(shop.seed, 0xca7a))
  const ids = (tag: keyof typeof ID_TAGS): Ids => makeIds(shop.seed, ID_TAGS[tag])
  const past = (): number => shop.timeline.startMs - dice.below(2 * YEAR_MS)
  const touched = (created: number): number => shop.timeline.momentAfter(created, dice)

  const categories = CATEGORIES.map((words, number) => ({
    ...words,
    id: ids('category').of(number + 1),
  }))
  const vendors = VENDORS.map((name, at): Vendor => {
    const created = past()
    return {
      id: ids('vendor').of(at),
      number: at,
      name,
      brands: [],
      created,
      modified: touched(created),
    }
  })
  const brands = BRANDS.map((name, at): Brand => {
    const vendor = vendors[(at * 7 + shop.index) % vendors.length]!
    const brand = { id: ids('brand').of(at + 1), name, vendor }
    vendor.brands.push(brand)
    return brand
  })
  const products: Product[] = []
  const names = new Set<string>()
  for (const [at, category] of categories.entries()) {
    const count =
      at === categories.length - 1
        ? PRODUCTS - products.length
        : Math.round((category.share / 100) * PRODUCTS)
    for (let piece = 0; piece < count; piece++) products.push(makeProduct(category, piece))
  }

  function makeProduct(category: Category, piece: number): Product {
    const brand = dice.pick(brands)
    const kind = category.cannabis
      ? `${dice.pick(STRAINS)} ${dice.pick(category.forms)}`
      : dice.pick(category.forms)
    let name = `${brand.name} ${kind}`
    for (let edition = 2; names.has(name); edition++) name = `${brand.name} ${kind} No. ${edition}`
    names.add(name)
    // One compassion product for a cent and one free sample: both ends of what a till can sell.
    const special =
      category.code !== 'PRE' ? undefined : piece === 0 ? 1 : piece === 1 ? 0 : undefined
    const unitPrice =
      special ??
      category.cheapest + 25 * dice.below(Math.floor((category.dearest - category.cheapest) / 25))
    const created = past()
    return {
      id: ids('product').of(products.length),
      number: products.length,
      name:
        special === undefined ? name : special === 1 ? `Compassion Care ${name}` : `Sample ${name}`,
      sku: `${category.code}-${String(1001 + piece)}`,
      category,
      brand,
      vendor: brand.vendor,
      unitPrice,
      unitCost:
        special === undefined
          ? Math.floor((unitPrice * dice.between(32, 52)) / 100)
          : dice.between(50, 150),
      thcHundredths: category.cannabis ? dice.between(1200, 3400) : 0,
      created,
      modified: touched(created),
      deleted: special === undefined && dice.chance(0.008),
    }
  }

  return {
    categories,
    brands,
    vendors,
    products,
    employees: Array.from({ length: 14 }, (_, at) => ({
      id: ids('employee').of(at + 1),
      firstName: dice.pick(FIRST_NAMES),
      lastName: dice.pick(LAST_NAMES),
      pin: String(dice.between(1000, 9999)),
    })),
    terminals: Array.from({ length: 5 }, (_, at) => ids('terminal').of(at + 1)),
    inventories: ROOMS.map((_, at) => ids('inventory').of(at + 1)),
  }
}
