import {
  flag,
  milliseconds,
  page,
  paging,
  query,
  record,
  text,
  texts,
  valuesPage,
} from './fields.ts'
import { get, group } from './operation.ts'
import { brand } from './resources/brand.ts'
import { category } from './resources/category.ts'
import { product } from './resources/product.ts'
import { inventory, terminal } from './resources/store.ts'

const OPEN = ['Parameters and shape: start and limit, a page.']

export const storeInventory = group('Store inventory', '/api/v1/partner/store/inventory', {
  listInventoryCategories: get('/categories', 'Categories of the store', {
    query: query(flag('includeDeleted')),
    answer: page(category),
  }),
  searchInventoryProducts: get(
    '/products',
    'Products of the store, by any combination of filters',
    {
      query: query({
        ...text('categoryId', 'strain', 'term', 'vendorId', 'brandId'),
        ...texts('tags'),
        ...paging('start'),
      }),
      answer: page(product),
      notShown: [
        'How tags are sent: the parameter is repeated.',
        'What strain looks at: flowerType.',
      ],
    },
  ),
  getInventoryProductBySku: get(
    '/sku/{sku}',
    'One product by its SKU, with quantities across locations and batches',
    { needs: ['company'], answer: record(product) },
  ),
  listTerminalProducts: get('/products/terminals/{terminalId}', 'Products by terminal', {
    query: query(paging('start')),
    answer: page(product),
    notShown: [
      'Parameters and shape: start and limit, a page of what is in the inventory of the terminal.',
    ],
  }),
  listInventoryProductsByDates: get('/products/dates', 'Products by modified dates', {
    query: query({ ...milliseconds, ...paging('start') }),
    answer: page(product),
    notShown: [
      'Parameters and shape: startDate and endDate in epoch milliseconds, start and limit, a page.',
    ],
  }),
  getInventoryProduct: get('/products/{productId}', 'One product', {
    answer: record(product),
    notShown: ['The shape: as the product by its SKU.'],
  }),
  listInventoryBrands: get('/brands', 'All brands', {
    query: query(paging('start')),
    answer: page(brand),
    notShown: OPEN,
  }),
  listInventoryInventories: get('/inventories', 'All inventories (rooms)', {
    query: query(paging('start')),
    answer: page(inventory),
    notShown: OPEN,
  }),
  listInventoryTerminals: get('/terminals', 'All terminals', {
    query: query(paging('start')),
    answer: valuesPage(terminal),
    notShown: OPEN,
  }),
})
