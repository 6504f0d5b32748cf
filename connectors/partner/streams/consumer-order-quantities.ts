import { boolean, decimal, defineList, text, timestamp } from '../../stream.ts'

/** What online orders hold back, product by product. */
export const consumerOrderQuantities = defineList({
  name: 'consumer_order_quantities',
  singular: 'consumer_order_quantity',
  title: 'quantities that online orders hold',
  path: '/api/v1/partner/store/consumer-order-qty/{productId}/',
  answers: 'complete',
  parent: { stream: 'products', column: 'id', field: 'productId' },
  columns: {
    ...text('id', 'companyId', 'shopId', 'productId', 'inventoryId', 'regionId', 'consumerCartId'),
    ...timestamp('created', 'modified', 'processedTime'),
    ...boolean('deleted', 'active', 'submitted'),
    ...decimal('quantity'),
  },
})
