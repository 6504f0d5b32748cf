import { toIso } from '../calendar/days.ts'
import { categories as categoryList } from '../connectors/partner/streams/categories.ts'
import { inventories } from '../connectors/partner/streams/inventories.ts'
import { products as productList } from '../connectors/partner/streams/products.ts'
import { vendors as vendorList } from '../connectors/partner/streams/vendors.ts'
import { PartnerError } from '../errors.ts'
import { amountText, toAmount } from '../money/amount.ts'
import { fieldsOf, listOf, textOf, timeOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { allBatches, allRooms, storeCategories } from './lists.ts'
import type { Lot, Room, Unit } from './snapshot.ts'
import type { StoreApi } from './store-api.ts'

/** Rooms, and what is known of products and lots, by their ids. */
export interface Catalog {
  rooms: Room[]
  batches: Map<string, Fields>
  products: Map<string, Fields>
  categories: Map<string, Fields>
  vendors: Map<string, Fields>
}

export async function readCatalog(api: StoreApi): Promise<Catalog> {
  const [rooms, batches, products, categories, vendors] = await Promise.all([
    readRoomList(api),
    api.readList(allBatches),
    orNothing(api.readList(productList), []),
    readCategories(api),
    orNothing(api.readList(vendorList), []),
  ])
  return {
    rooms,
    batches: byId(batches),
    products: byId(products),
    categories: byId(categories),
    vendors: byId(vendors),
  }
}

/**
 * What the API does not have, or not for this key, is left out. A list that fails is an error:
 * without products and categories units would be wrong, and without rooms their stock missing.
 */
async function orNothing<Value, Nothing>(
  asked: Promise<Value>,
  nothing: Nothing,
): Promise<Value | Nothing> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PartnerError && isNotForUs(error)) return nothing
    throw error
  }
}

const isNotForUs = ({ code, refused }: PartnerError): boolean =>
  code === 'PARTNER_REFUSED' || code === 'PARTNER_PERMISSION' || refused?.status === 501

/**
 * The documented list holds active rooms only, in the order that people know; stock may lie in
 * others, too, which another list has.
 */
async function readRoomList(api: StoreApi): Promise<Room[]> {
  const active = await api.readList(inventories)
  const all = await orNothing(api.readList(allRooms), [])
  return [
    ...byId([...active, ...all.filter(room => !byId(active).has(textOf(room['id']) ?? ''))]),
  ].map(([id, room]) => ({
    id,
    name: textOf(room['name']) ?? id,
    type: textOf(room['type']) ?? '',
  }))
}

/** Without them a lot has no unit of its own; the product then says it. */
async function readCategories(api: StoreApi): Promise<Fields[]> {
  const listed = await orNothing(api.readList(categoryList), undefined)
  return listed ?? orNothing(api.readList(storeCategories), [])
}

/** A list that moves while it is read may lack a lot: those are asked for one by one. */
export async function completeCatalog(
  api: StoreApi,
  catalog: Catalog,
  batchIds: readonly string[],
): Promise<void> {
  const missing = batchIds.filter(id => !catalog.batches.has(id))
  const found = await Promise.all(
    missing.map(batchId =>
      orNothing(api.read('listBatches', { parameters: { batchId } }), undefined),
    ),
  )
  for (const list of found)
    for (const [id, batch] of byId(list?.items ?? [])) catalog.batches.set(id, batch)
  const wanted = new Set(
    [...catalog.batches.values()].flatMap(batch => textOf(batch['productId']) ?? []),
  )
  await Promise.all(
    [...wanted]
      .filter(id => !catalog.products.has(id))
      .map(async productId => {
        const asked = api.read('getInventoryProduct', { parameters: { productId } })
        const product = await orNothing(asked, undefined)
        // Another product says nothing of this one.
        if (product !== undefined && textOf(product['id']) === productId)
          catalog.products.set(productId, product)
      }),
  )
}

/** What the API says of a lot. What it does not say is left empty, never made up. */
export function lotOf(catalog: Catalog, batchId: string): Lot {
  const batch = catalog.batches.get(batchId) ?? {}
  const productId = textOf(batch['productId']) ?? ''
  const product = catalog.products.get(productId) ?? {}
  const categoryId = textOf(product['categoryId']) ?? ''
  const category = catalog.categories.get(categoryId) ?? fieldsOf(product['category'])
  const vendor = catalog.vendors.get(textOf(batch['vendorId']) ?? '') ?? {}
  return {
    productId,
    ...describeProduct(product, batch),
    category: firstText(category['name']),
    cannabis: category['cannabis'] === true,
    batchId,
    batchSku: firstText(batch['sku']),
    packageTag: firstText(batch['trackPackageLabel']),
    lotId: firstText(batch['lotId']),
    batchStatus: firstText(batch['status']),
    unit: unitOf(category, product),
    unitCost: decimal(batch['costPerUnit']),
    expiresAt: instant(batch['expirationDate']) ?? instant(batch['sellBy']),
    receivedAt: instant(batch['receiveDate']) ?? instant(batch['purchasedDate']),
    vendorName: firstText(vendor['name'], batch['vendorName']),
    vendorLicense: firstText(batch['externalLicense'], ...licensesOf(vendor)),
    cost: decimal(batch['cost']),
    exciseTax: decimal(batch['totalExciseTax']),
    receivedQty: decimal(batch['quantity']),
  }
}

const describeProduct = (
  product: Fields,
  batch: Fields,
): Pick<Lot, 'sku' | 'product' | 'retailPrice'> => ({
  sku: firstText(product['sku']),
  product: firstText(product['name'], batch['productName']),
  retailPrice: decimal(product['unitPrice']),
})

const firstText = (...values: readonly unknown[]): string =>
  values.map(textOf).find(text => text !== undefined) ?? ''

function unitOf(category: Fields, product: Fields): Unit {
  const unitType = textOf(category['unitType'])?.toLowerCase()
  if (unitType !== undefined) return unitType.startsWith('gram') ? 'GRAM' : 'EACH'
  return textOf(product['weightPerUnit'])?.toUpperCase() === 'GRAM' ? 'GRAM' : 'EACH'
}

const licensesOf = (vendor: Fields): unknown[] => [
  vendor['licenseNumber'],
  ...listOf(vendor['companyLicenses']).map(license => fieldsOf(license)['licenseNumber']),
]

const decimal = (value: unknown): string | null => {
  const amount = toAmount(value)
  return amount === undefined ? null : amountText(amount, 0)
}

const instant = (value: unknown): string | null => {
  const ms = timeOf(value)
  return ms === undefined ? null : toIso(ms)
}

const byId = (records: readonly Fields[]): Map<string, Fields> =>
  new Map(
    records.flatMap(record => {
      const id = textOf(record['id'])
      return id === undefined ? [] : [[id, record]]
    }),
  )
