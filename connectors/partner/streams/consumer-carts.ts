import { boolean, decimal, defineList, integer, json, person, text, timestamp } from '../../stream.ts'

/** Online orders: the cart history of each consumer that a member is known as. */
export const consumerCarts = defineList({
  name: 'consumer_carts',
  singular: 'consumer_cart',
  title: 'online carts and orders',
  path: '/api/v1/partner/store/cart/history',
  each: { stream: 'members', column: 'consumer_user_id', parameter: 'cuid' },
  columns: {
    ...text('id', 'companyId', 'shopId', 'transactionId', 'transNo', 'orderNo', 'cartStatus', 'trackingStatus', 'pickupType', 'transactionSource', 'source', 'salesChannel', 'partnerId', 'externalId', 'publicKey'),
    ...person.text('consumerId', 'memberId'),
    ...person.json('deliveryAddress'),
    ...timestamp('created', 'modified', 'orderPlacedTime', 'acceptedTime', 'packagedTime', 'onTheWayTime', 'completedTime', 'canceledTime', 'declinedTime', 'pickUpDate', 'deliveryDate', 'expiredAt'),
    ...boolean('deleted', 'placed', 'accepted', 'completed', 'packaged', 'onTheWay', 'anonymous', 'prepaid', 'committed'),
    ...decimal('cart.subTotal', 'cart.totalDiscount', 'cart.totalCalcTax', 'cart.deliveryFee', 'cart.total'),
    ...integer('eta'),
    ...json('orderTags'),
  },
  children: {
    consumer_cart_items: { path: 'cart.items', columns: { ...text('orderItemId', 'productId', 'status'), ...decimal('quantity', 'unitPrice', 'cost', 'finalPrice', 'calcTax') } },
  },
})
