import { notFound } from '../api-error.ts'
import { EVERYTHING, readMilliseconds, readText } from '../parameters.ts'
import type { Call, Route } from './route.ts'
import { get, list, single } from './route.ts'

/** Reading: dates of products are epoch milliseconds (Limits, rule 2) and not limited to 7 days. */
const modified: Route['answer'] = (call) => list(call, { collection: call.world.lists.products, range: readMilliseconds(call.query, call.nowMs, call.state.behaviour, false), sortedBy: 'modified' })

const bySku = (call: Call): string => {
  const { products } = call.world.lists
  const sku = call.params['sku']!
  for (let rank = 0; rank < products.order.length; rank++) {
    const text = products.text(products.order.numberAt(rank))
    if (text.includes(`"sku":${JSON.stringify(sku)}`)) return text
  }
  throw notFound('sku', `There is no product with sku ${sku.slice(0, 64)}`)
}

/** The product without its tax tables (`omitTaxTables`), its other digits untouched. */
const withoutTaxTables = (text: string): string => text.replace(/"taxTables":\[[^\]]*\],/, '')

export const productRoutes: readonly Route[] = [
  get('/api/v1/partner/products', (call) => list(call, { collection: call.world.lists.products, range: EVERYTHING, sortedBy: 'id' })),
  get('/api/v1/partner/products/modified', modified),
  get('/api/v1/partner/products/sku/:sku', bySku),
  get('/api/v1/partner/products/:productId', (call) => {
    const text = single(call.world.lists.products, call.params['productId']!, 'productId')
    return readText(call.query, 'omitTaxTables') === 'true' ? withoutTaxTables(text) : text
  }),
  get('/api/v1/partner/store/inventory/products', (call) => {
    const wanted = (['vendorId', 'brandId', 'categoryId'] as const).map((field) => [field, readText(call.query, field)] as const)
    const term = readText(call.query, 'term')?.toLowerCase()
    return list(call, {
      collection: call.world.lists.products,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: (product) => wanted.every(([field, value]) => value === undefined || product[field] === value) && (term === undefined || `${String(product['name'])} ${String(product['sku'])}`.toLowerCase().includes(term)),
    })
  }),
  get('/api/v1/partner/store/inventory/products/dates', modified),
  get('/api/v1/partner/store/inventory/products/:productId', (call) => single(call.world.lists.products, call.params['productId']!, 'productId')),
]
