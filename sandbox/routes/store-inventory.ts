import { EVERYTHING, readFlag, readText, readTexts } from '../http/parameters.ts'
import type { Collection } from '../model/collection.ts'
import { findNumber, textOf } from '../model/records.ts'
import { play } from './play.ts'
import { modifiedProducts, productWithSku } from './products.ts'
import type { Call, Route } from './route.ts'
import { list } from './route.ts'

const there = (record: Readonly<Record<string, unknown>>): boolean => record['deleted'] === false

const whole = (call: Call, collection: Collection, matches = there): Buffer =>
  list(call, { collection, range: EVERYTHING, sortedBy: 'id', matches })

/**
 * ProductWithRelatedQuantities: what lies where of which batch, beside the sums that the product
 * has.
 */
function withShelves({ world: { lists, stock } }: Call, number: number): string {
  const id = lists.products.idOf(number)
  const shelves = stock.shelves('productId', id).map(({ batchId, inventoryId }) => ({
    batchId,
    inventoryId,
    quantity: stock.tokenOf(batchId, inventoryId),
  }))
  const product = lists.products.text(number).slice(0, -1)
  return `${product},"batchQuantities":${JSON.stringify(shelves)}}`
}

export const storeInventoryRoutes: readonly Route[] = [
  play('listInventoryCategories', call =>
    whole(
      call,
      call.world.lists.categories,
      readFlag(call.query, 'includeDeleted') ? () => true : there,
    ),
  ),
  play('searchInventoryProducts', call => {
    const wanted = (['vendorId', 'brandId', 'categoryId'] as const).map(
      field => [field, readText(call.query, field)] as const,
    )
    const term = readText(call.query, 'term')?.toLowerCase()
    const strain = readText(call.query, 'strain')?.toLowerCase()
    const tags = readTexts(call.query, 'tags')
    return list(call, {
      collection: call.world.lists.products,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: product =>
        wanted.every(([field, value]) => value === undefined || product[field] === value) &&
        (term === undefined ||
          `${String(product['name'])} ${String(product['sku'])}`.toLowerCase().includes(term)) &&
        (strain === undefined || textOf(product['flowerType']).toLowerCase() === strain) &&
        tags.every(tag => ((product['tags'] as string[] | undefined) ?? []).includes(tag)),
    })
  }),
  play('listInventoryProductsByDates', modifiedProducts),
  play('listTerminalProducts', call => {
    const { terminals, products } = call.world.lists
    const room = terminals.read(findNumber(terminals, call.params['terminalId']!, 'terminalId'))[
      'assignedInventoryId'
    ]
    const inRoom = new Set(
      call.world.stock
        .shelves('inventoryId', String(room))
        .filter(({ amount }) => amount > 0)
        .map(({ productId }) => productId),
    )
    return whole(call, products, product => there(product) && inRoom.has(String(product['id'])))
  }),
  play('getInventoryProductBySku', call => withShelves(call, productWithSku(call))),
  play('getInventoryProduct', call =>
    withShelves(
      call,
      findNumber(call.world.lists.products, call.params['productId']!, 'productId'),
    ),
  ),
  play('listInventoryBrands', call => whole(call, call.world.lists.brands)),
  play('listInventoryInventories', call => whole(call, call.world.lists.inventories)),
  play('listInventoryTerminals', call => whole(call, call.world.lists.terminals)),
]
