import { z } from 'zod'
import { flag, json, milliseconds, page, paging, query, record, text, update } from './fields.ts'
import { get, group, post, put } from './operation.ts'
import { place } from './place.ts'
import { product, productPrices } from './resources/product.ts'

const FULL = 'The body: a product; an update replaces it whole.'

export const products = group('Products', '/api/v1/partner/products', {
  getProduct: get('/{productId}', 'One product', {
    query: query(flag('omitTaxTables')),
    answer: record(product),
  }),
  getProductBySku: get('/sku/{sku}', 'One product by its SKU', { answer: record(product) }),
  createProduct: post('', 'Creates a product', {
    body: json(product),
    answer: record(product),
    notShown: [FULL],
  }),
  updateProduct: put('/{productId}', 'Updates a product', {
    body: json(update(product)),
    answer: record(product),
    emits: ['UPDATE_PRODUCT'],
    notShown: [FULL],
  }),
  listProducts: get('', 'All products', {
    query: query(paging('start')),
    answer: page(product),
    notShown: ['Parameters beyond pagination: start and limit.', 'The order: by id.'],
  }),
  listModifiedProducts: get('/modified', 'Products by modified date', {
    query: query({ ...milliseconds, ...paging('start') }),
    answer: page(product),
    notShown: [
      'Parameters and answer: startDate and endDate in epoch milliseconds, a page of products.',
    ],
  }),
  listNearbyProducts: get('/nearby', 'Products near a place', {
    query: query({ ...place, ...text('term'), ...paging('start') }),
    answer: page(product),
    notShown: [
      'Parameters and answer: lat and long, or zipCode, ' +
        'and a page of the products of the store that delivers there.',
    ],
  }),
  updateProductMetadata: put('/{productId}/metadata', 'Updates the metadata of a product', {
    body: json(z.looseObject({})),
    answer: record(product),
    emits: ['UPDATE_PRODUCT'],
    notShown: ['The body: an object that is merged into metadataMap.', 'The answer: the product.'],
  }),
  syncProductPrices: get('/prices/sync', 'Group pricing sync', {
    query: query(paging('start')),
    answer: page(productPrices),
    notShown: ['Parameters, answer and effect: a page of current prices, nothing changes.'],
  }),
})
