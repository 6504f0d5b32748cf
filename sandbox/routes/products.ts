import { readPlace, regionOf } from '../commerce/place.ts'
import { emit } from '../events/emit.ts'
import { invalid, notFound } from '../http/api-error.ts'
import { EVERYTHING, readFlag, readMilliseconds, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, merge, replaceWhole, textOf } from '../model/records.ts'
import { parseExactly } from '../values/money.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { dateRules, list, single } from './route.ts'

/** Reading: dates of products are epoch milliseconds (Limits, rule 2) and not limited to 7 days. */
export const modifiedProducts: Route['answer'] = call =>
  list(call, {
    collection: call.world.lists.products,
    range: readMilliseconds(call.query, dateRules(call, { limited: false })),
    sortedBy: 'modified',
  })

/** The number of the product with this SKU; of several, the first that is not deleted. */
export function productWithSku(call: Call): number {
  const { products } = call.world.lists
  const sku = call.params['sku']!
  const found = products.where('sku', sku)
  const number = found.find(candidate => products.read(candidate)['deleted'] === false) ?? found[0]
  if (number === undefined)
    throw notFound('sku', `There is no product with sku ${sku.slice(0, 64)}`)
  return number
}

/**
 * What a product says of its category and brand follows from them; a reference to nothing is
 * refused. Quantities are the stock room's.
 */
function asProduct({ world: { lists }, exact }: Call, quantities: JsonRecord): JsonRecord {
  for (const [field, referred] of [
    ['categoryId', lists.categories],
    ['brandId', lists.brands],
    ['vendorId', lists.vendors],
  ] as const) {
    const id = textOf(exact[field])
    if (id !== '' && referred.find(id) === undefined)
      throw invalid(field, `There is nothing with this ${field}`)
  }
  const category = lists.categories.get(textOf(exact['categoryId']))
  const brand = lists.brands.get(textOf(exact['brandId']))
  return {
    ...exact,
    ...(category === undefined
      ? {}
      : {
          category: { id: category['id'], name: category['name'], cannabis: category['cannabis'] },
        }),
    ...(brand === undefined
      ? {}
      : { brand: { id: brand['id'], name: brand['name'] }, brandName: brand['name'] }),
    ...quantities,
  }
}

const numberOf = (call: Call): number =>
  findNumber(call.world.lists.products, call.params['productId']!, 'productId')

export const productRoutes: readonly Route[] = [
  play('listProducts', call =>
    list(call, { collection: call.world.lists.products, range: EVERYTHING, sortedBy: 'id' }),
  ),
  play('listModifiedProducts', modifiedProducts),
  play('listNearbyProducts', call => {
    const served = regionOf(call.world, readPlace(call.query)) !== undefined
    const term = readText(call.query, 'term')?.toLowerCase()
    return list(call, {
      collection: call.world.lists.products,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: product =>
        served &&
        product['active'] !== false &&
        product['deleted'] === false &&
        (term === undefined || String(product['name']).toLowerCase().includes(term)),
    })
  }),
  play('syncProductPrices', call =>
    list(call, {
      collection: call.world.lists.products,
      range: EVERYTHING,
      sortedBy: 'id',
      shape: ({ id, sku, unitPrice, salesPrice, priceRanges, priceBreaks, modified }) => ({
        id,
        sku,
        unitPrice,
        salesPrice,
        priceRanges,
        priceBreaks,
        modified,
      }),
    }),
  ),
  play('getProductBySku', call => call.world.lists.products.text(productWithSku(call))),
  play('getProduct', call => {
    const text = single(call.world.lists.products, call.params['productId']!, 'productId')
    if (!readFlag(call.query, 'omitTaxTables')) return text
    const { taxTables: _, ...product } = parseExactly(text) as JsonRecord
    return product
  }),
  play('createProduct', call => {
    const { products } = call.world.lists
    const sku = `NEW-${String(products.nextNumber + 1)}`
    return create(
      products,
      {
        sku,
        metadataMap: {},
        ...asProduct(call, { quantities: [], totalSellableQuantity: 0, instock: false }),
      },
      call.nowMs,
    )
  }),
  play('updateProduct', call => {
    const number = numberOf(call)
    const text = replaceWhole(
      call.world.lists.products,
      number,
      asProduct(call, call.world.stock.quantitiesOf(call.params['productId']!)),
      call.nowMs,
    )
    emit(call, 'UPDATE_PRODUCT', call.world.lists.products, call.params['productId']!)
    return text
  }),
  play('updateProductMetadata', call => {
    const { products } = call.world.lists
    const number = numberOf(call)
    const before = parseExactly(products.text(number)) as JsonRecord
    const text = merge(
      products,
      number,
      {
        metadataMap: { ...(before['metadataMap'] as JsonRecord | undefined), ...call.exact },
        metadataModifiedAt: call.nowMs,
      },
      call.nowMs,
    )
    emit(call, 'UPDATE_PRODUCT', products, call.params['productId']!)
    return text
  }),
]
