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
  const categories = CATEGORIES.map((words, number) => ({
    ...words,
    id: ids('category').of(number + 1),
  }))
  const vendors = makeVendors(shop, dice)
  const brands = BRANDS.map((name, at): Brand => {
    const vendor = vendors[(at * 7 + shop.index) % vendors.length]!
    const brand = { id: ids('brand').of(at + 1), name, vendor }
    vendor.brands.push(brand)
    return brand
  })
  return {
    categories,
    brands,
    vendors,
    products: makeProducts(shop, categories, brands, dice),
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

/** A moment in the two years before the seeded days. */
const past = (shop: Shop, dice: Dice): number => shop.timeline.startMs - dice.below(2 * YEAR_MS)

function makeVendors(shop: Shop, dice: Dice): Vendor[] {
  const ids = makeIds(shop.seed, ID_TAGS.vendor)
  return VENDORS.map((name, number): Vendor => {
    const created = past(shop, dice)
    const modified = shop.timeline.momentAfter(created, dice)
    return { id: ids.of(number), number, name, brands: [], created, modified }
  })
}

/** As many of each category as its share says; the last one gets the rest. */
function makeProducts(
  shop: Shop,
  categories: readonly Category[],
  brands: readonly Brand[],
  dice: Dice,
): Product[] {
  const ids = makeIds(shop.seed, ID_TAGS.product)
  const products: Product[] = []
  const taken = new Set<string>()
  for (const [at, category] of categories.entries()) {
    const last = at === categories.length - 1
    const count = last ? PRODUCTS - products.length : Math.round((category.share / 100) * PRODUCTS)
    for (let piece = 0; piece < count; piece++) {
      const brand = dice.pick(brands)
      const name = pickName(category, brand, taken, dice)
      const number = products.length
      const id = ids.of(number)
      products.push({ id, number, ...makeProduct(shop, { category, piece, brand, name }, dice) })
    }
  }
  return products
}

function pickName(category: Category, brand: Brand, taken: Set<string>, dice: Dice): string {
  const kind = category.cannabis
    ? `${dice.pick(STRAINS)} ${dice.pick(category.forms)}`
    : dice.pick(category.forms)
  let name = `${brand.name} ${kind}`
  for (let edition = 2; taken.has(name); edition++) name = `${brand.name} ${kind} No. ${edition}`
  taken.add(name)
  return name
}

/**
 * One compassion product for a cent and one free sample: both ends of what a till can sell. By
 * their place among the pre-rolls.
 */
const SPECIAL = [
  { unitPrice: 1, title: 'Compassion Care' },
  { unitPrice: 0, title: 'Sample' },
] as const

function makeProduct(
  shop: Shop,
  wanted: { category: Category; piece: number; brand: Brand; name: string },
  dice: Dice,
): Omit<Product, 'id' | 'number'> {
  const { category, piece, brand, name } = wanted
  const { cannabis, code, cheapest, dearest } = category
  const special = code === 'PRE' ? SPECIAL[piece] : undefined
  const unitPrice =
    special?.unitPrice ?? cheapest + 25 * dice.below(Math.floor((dearest - cheapest) / 25))
  const created = past(shop, dice)
  return {
    name: special === undefined ? name : `${special.title} ${name}`,
    sku: `${code}-${String(1001 + piece)}`,
    category,
    brand,
    vendor: brand.vendor,
    unitPrice,
    unitCost:
      special === undefined
        ? Math.floor((unitPrice * dice.between(32, 52)) / 100)
        : dice.between(50, 150),
    thcHundredths: cannabis ? dice.between(1200, 3400) : 0,
    created,
    modified: shop.timeline.momentAfter(created, dice),
    deleted: special === undefined && dice.chance(0.008),
  }
}
