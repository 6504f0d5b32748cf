import { boolean, decimal, defineStream, integer, json, person, text, timestamp } from '../../stream.ts'

/**
 * What the tills did: sales and refunds, and also reconciliations and transfers, which are not revenue.
 * The documentation lists the operations and leaves the fields open; these are the fields that public clients of this
 * API family read. Fields that we do not know stay in `raw`.
 */
export const transactions = defineStream({
  name: 'transactions',
  singular: 'transaction',
  title: 'sales, refunds, reconciliations and transfers',
  path: '/api/v1/partner/transactions',
  window: 'days',
  offset: 'skip',
  pageCap: 100,
  cursor: 'modified',
  eventTimes: ['modified', 'created', 'completedTime', 'processedTime'],
  // Every transaction has one day: that of its end, or of the last that is known of it.
  bookedAt: ['completedTime', 'processedTime', 'modified', 'created'],
  lookup: { path: '/api/v1/partner/transactions/{id}' },
  lookbackDays: 7,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active'),
    ...text('transNo', 'parentTransactionId', 'transType', 'status', 'queueType', 'source', 'checkoutType', 'trackingStatus'),
    ...text('createdById', 'sellerId', 'terminalId', 'sellerTerminalId', 'assignedEmployeeId', 'consumerCartId', 'timeZone'),
    ...person.text('memberId'),
    ...timestamp('checkinTime', 'startTime', 'endTime', 'processedTime', 'completedTime'),
    ...decimal('pointsEarned'),
    ...text('cart.consumerType', 'cart.paymentOption', 'cart.paymentType', 'cart.discountType', 'cart.promoCode', 'cart.refundOption'),
    ...decimal('cart.subTotal', 'cart.discount', 'cart.calcCartDiscount', 'cart.subTotalDiscount', 'cart.totalDiscount'),
    ...decimal('cart.afterTaxDiscount', 'cart.appliedAfterTaxDiscount', 'cart.pointSpent'),
    ...decimal('cart.tax', 'cart.totalPreCalcTax', 'cart.totalCalcTax', 'cart.totalExciseTax'),
    ...decimal('cart.deliveryFee', 'cart.deliveryDiscount', 'cart.creditCardFee', 'cart.roundAmt', 'cart.total'),
    ...decimal('cart.balanceDue', 'cart.cashReceived', 'cart.changeDue', 'cart.refundAmount'),
    ...json('cart.taxResult', 'orderTags', 'transferRequest'),
  },
  children: {
    transaction_items: {
      path: 'cart.items',
      columns: {
        ...text('orderItemId', 'productId', 'batchId', 'prepackageItemId', 'status', 'discountType', 'taxType', 'taxOrder'),
        ...decimal('quantity', 'origQuantity', 'unitPrice', 'cost', 'discount', 'calcDiscount', 'finalPrice', 'calcTax', 'calcPreTax'),
        ...json('taxResult', 'quantityLogs', 'promotionReqs'),
      },
    },
    transaction_payments: {
      path: 'payments',
      columns: {
        ...text('id', 'paymentOption', 'storageLocation'),
        ...decimal('paidAmount', 'paymentReceived', 'changeDue', 'cashBack', 'blazeTip', 'blazeFee', 'blazeTotalCharged'),
        ...timestamp('paidTime'),
        ...integer('line'),
      },
    },
  },
})
