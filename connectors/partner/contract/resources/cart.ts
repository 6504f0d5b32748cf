import { choice, emptyText, flag, int32, many, no, number, one, open, openList, resource, shopRecord, text, texts, timestamp } from '../fields.ts'
import { address } from './address.ts'

export const CART_STATUSES = ['InProgress', 'Placed', 'Accepted', 'Completed', 'Declined', 'CanceledByConsumer', 'CanceledByDispensary'] as const
export const TRACKING_STATUSES = ['NotStarted', 'Placed', 'Accepted', 'Packaged', 'OnTheWay', 'Delivered', 'WaitingPickup', 'Declined'] as const

export const orderItem = resource('OrderItem', {
  ...text('orderItemId', 'productId', 'batchId', 'prepackageItemId', 'status', 'discountType', 'taxType', 'taxOrder'),
  ...number('quantity', 'origQuantity', 'unitPrice', 'cost', 'discount', 'calcDiscount', 'finalPrice', 'calcTax', 'calcPreTax'),
  ...open('taxResult'),
  ...openList('quantityLogs', 'promotionReqs'),
}, 'All fields; productId and quantity order something, the rest is what public clients read.')

/** What carts and transactions have in common. */
export const cart = resource('Cart', {
  ...text('consumerType', 'paymentOption', 'paymentType', 'discountType', 'promoCode', 'refundOption'),
  items: many(orderItem),
  ...number('subTotal', 'discount', 'calcCartDiscount', 'subTotalDiscount', 'totalDiscount', 'afterTaxDiscount', 'appliedAfterTaxDiscount', 'pointSpent', 'tax'),
  ...number('totalPreCalcTax', 'totalCalcTax', 'totalExciseTax', 'deliveryFee', 'deliveryDiscount', 'creditCardFee', 'roundAmt', 'total'),
  ...number('balanceDue', 'cashReceived', 'changeDue', 'refundAmount'),
  ...open('taxResult'),
}, 'All fields; items order something, the rest is what public clients read.')

export const payment = resource('Payment', {
  ...text('id', 'paymentOption', 'storageLocation'),
  ...number('paidAmount', 'paymentReceived', 'changeDue', 'cashBack'),
  ...timestamp('paidTime'),
  ...int32('line'),
}, 'All fields; these are what public clients read.')

export const consumerCart = resource('ConsumerCart', {
  ...shopRecord,
  ...text('consumerId', 'memberId', 'assignedNearbyDriverId', 'reason', 'sessionId', 'publicKey', 'source', 'salesChannel', 'partnerId', 'externalId', 'transactionId', 'reqLinkedTransId'),
  ...text('transNo', 'orderNo', 'employeeName', 'memo', 'additionalNotes', 'assignedEmployeeId', 'rewardName', 'overrideRegionId', 'overrideInventoryId', 'externalPaymentConfigId', 'chargeId'),
  ...emptyText('dispatchRegionId'),
  cart: one(cart),
  ...timestamp('orderPlacedTime', 'acceptedTime', 'packagedTime', 'onTheWayTime', 'completedTime', 'canceledTime', 'declinedTime', 'pickUpDate', 'deliveryDate', 'completeAfter', 'expiredAt'),
  ...flag('placed', 'accepted', 'completed', 'packaged', 'onTheWay', 'anonymous', 'prepaid', 'disableAutoAssignment', 'committed'),
  ...no('disableAutoRegionDispatch'),
  ...int32('eta'),
  cartStatus: choice(CART_STATUSES, 'InProgress'),
  trackingStatus: choice(TRACKING_STATUSES, 'NotStarted'),
  pickupType: choice(['Pickup', 'Delivery', 'Ship'], 'Delivery'),
  transactionSource: choice(['Retail', 'Widget', 'Ext1', 'Ext2'], 'Widget'),
  deliveryAddress: one(address),
  ...texts('orderTags', 'activeInventoryIds', 'externalPaymentIds'),
  ...open('integrations', 'ext'),
})

export const orderQuantity = resource('ConsumerOrderQuantity', { ...shopRecord, ...text('inventoryId', 'regionId', 'productId', 'consumerCartId'), ...number('quantity'), ...timestamp('processedTime'), ...flag('active', 'submitted') })
