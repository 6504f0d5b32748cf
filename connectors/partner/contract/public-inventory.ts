import { page, paging, query, record, text } from './fields.ts'
import { get, group } from './operation.ts'
import { category } from './resources/category.ts'
import { product } from './resources/product.ts'

const KEYS = 'Credentials: both keys; the store follows from the developer key.'

export const publicInventory = group('Public inventory', '/api/v1/public/inventory', {
  listPublicCategories: get('/categories', 'Categories that customers see', {
    query: query(paging('start')),
    answer: page(category),
    notShown: [KEYS, 'Parameters and shape: start and limit, a page.'],
  }),
  getPublicCategory: get('/categories/{categoryId}', 'One category that customers see', {
    answer: record(category),
    notShown: [KEYS, 'The shape: a category.'],
  }),
  searchPublicProducts: get('/products', 'Products that customers see', {
    query: query({ ...text('term', 'categoryId', 'brandId'), ...paging('start') }),
    answer: page(product),
    notShown: [KEYS, 'Parameters and shape: term, categoryId, brandId, start and limit, a page.'],
  }),
})
