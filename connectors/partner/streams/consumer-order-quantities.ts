import { boolean, decimal, defineStream, text, timestamp } from '../../stream.ts'

/** What online orders hold back, product by product. */
export const consumerOrderQuantities = defineStream({
  name: 'consumer_order_quantities',
  singular: 'consumer_order_quantity',
  title: 'quantities that online orders hold',
  path: '/api/v1/partner/store/consumer-order-qty/{productId}/',
  answers: 'complete',
  each: { stream: 'products', column: 'id' },
  window: 'whole',
  offset: 'start',
  pageCap: 1000,
  cursor: 'modified',
  eventTimes: ['modified'],
  lookbackDays: 0,
  columns: {
    ...text('id', 'companyId', 'shopId', 'productId', 'inventoryId', 'regionId', 'consumerCartId'),
    ...timestamp('created', 'modified', 'processedTime'),
    ...boolean('deleted', 'active', 'submitted'),
    ...decimal('quantity'),
  },
  children: {},
})
