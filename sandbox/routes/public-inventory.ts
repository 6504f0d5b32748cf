import { notFound } from '../http/api-error.ts'
import { EVERYTHING, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'
import { list } from './route.ts'

const shown = (record: Readonly<Record<string, unknown>>): boolean =>
  record['deleted'] === false && record['active'] !== false

/** What customers see is on the menu, and says nothing of what it cost. */
const HIDDEN = new Set(['purchasePrice', 'vendorId', 'secondaryVendors', 'notes'])
const withoutCosts = (product: JsonRecord): object =>
  Object.fromEntries(Object.entries(product).filter(([field]) => !HIDDEN.has(field)))

export const publicInventoryRoutes: readonly Route[] = [
  play('listPublicCategories', call =>
    list(call, {
      collection: call.world.lists.categories,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: shown,
    }),
  ),
  play('getPublicCategory', call => {
    const category = call.world.lists.categories.get(call.params['categoryId']!)
    if (category === undefined || !shown(category))
      throw notFound('categoryId', 'There is no such category')
    return call.world.lists.categories.text(
      call.world.lists.categories.find(call.params['categoryId']!)!,
    )
  }),
  play('searchPublicProducts', call => {
    const term = readText(call.query, 'term')?.toLowerCase()
    const wanted = (['categoryId', 'brandId'] as const).map(
      field => [field, readText(call.query, field)] as const,
    )
    return list(call, {
      collection: call.world.lists.products,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: product =>
        shown(product) &&
        product['showInWidget'] !== false &&
        wanted.every(([field, value]) => value === undefined || product[field] === value) &&
        (term === undefined || String(product['name']).toLowerCase().includes(term)),
      shape: withoutCosts,
    })
  }),
]
