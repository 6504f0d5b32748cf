import { z } from 'zod'
import { cuid, json, page, paging, query, record, recordOrNone, text, update } from './fields.ts'
import { del, get, group, post } from './operation.ts'
import { consumerCart, orderItem, payment } from './resources/cart.ts'

const needs = ['store', 'consumer'] as const
/** What may be sent with a cart that exists. */
const changes = update(consumerCart)

const CART = 'The answer: the cart.'
const item = {
  answer: recordOrNone(consumerCart),
  emits: ['UPDATE_CONSUMER_ORDER'],
  notShown: ['The body: none is needed.', CART],
} as const

/** `active` and `prepare` work for guests too (Authentication, rule 5). */
export const consumerCarts = group('Consumer cart', '/api/v1/partner/store/cart', {
  listCarts: get('/history', 'Carts of the consumer', {
    needs,
    query: query({ ...cuid, ...paging('start') }),
    answer: page(consumerCart),
  }),
  getCart: get('/{consumerCartId}', 'One cart', {
    needs,
    query: query(cuid),
    answer: record(consumerCart),
  }),
  getActiveCart: get('/active', 'The active cart', {
    query: query({ ...cuid, ...text('sessionId', 'externalId', 'transactionId') }),
    answer: record(consumerCart),
  }),
  prepareCart: post('/prepare', 'Computes prices, taxes and discounts of a cart', {
    query: query(cuid),
    body: json(consumerCart),
    answer: record(consumerCart),
    notShown: [
      'The full body: cart.items with productId and quantity.',
      'Whether it is kept: it is, and the answer has its id.',
    ],
  }),
  updateCart: post('/updateCart/{consumerCartId}', 'Changes a cart', {
    query: query(cuid),
    body: json(changes),
    answer: recordOrNone(consumerCart),
    emits: ['UPDATE_CONSUMER_ORDER'],
    notShown: ['The body: the cart.', 'When: before it is submitted.', CART],
  }),
  cancelCart: del('/cancelCart/{consumerCartId}', 'Cancels a submitted order', {
    query: query({ ...cuid, ...text('reason') }),
    answer: recordOrNone(consumerCart),
    emits: ['UPDATE_CONSUMER_ORDER', 'CANCEL_TRANSACTION'],
    notShown: [
      'Parameters: reason.',
      'The state after it: CanceledByConsumer, and its transaction is cancelled.',
      CART,
    ],
  }),
  submitCart: post('/submitCart/{consumerCartId}', 'Submits a cart as an order', {
    query: query(cuid),
    body: json(changes),
    answer: recordOrNone(consumerCart),
    emits: ['NEW_CONSUMER_ORDER', 'CREATE_TRANSACTION'],
    notShown: [
      'The body: what to change of the cart, or nothing.',
      'The effect: cartStatus Placed, a queued transaction (cart.transactionId) ' +
        'and active order quantities.',
      CART,
    ],
  }),
  findProductCost: post('/product/findCost', 'Cost of a product', {
    body: json(orderItem),
    answer: record(orderItem),
    notShown: [
      'Body and answer: an order item with productId and quantity, and the same with its price.',
    ],
  }),
  getPublicCart: get('/public/{publicKey}', 'One cart by its public key', {
    answer: record(consumerCart),
    notShown: [CART],
  }),
  finalizeItem: post('/item/{orderItemId}/finalize', 'Finalizes one item', item),
  unfinalizeItem: post('/item/{orderItemId}/unfinalize', 'Takes back that an item is final', item),
  finalizeItems: post('/items/finalize', 'Finalizes all items', {
    query: query(text('consumerCartId')),
    body: json(z.looseObject(text('consumerCartId'))),
    answer: recordOrNone(consumerCart),
    emits: ['UPDATE_CONSUMER_ORDER'],
    notShown: ['Which cart: consumerCartId, in the query or in the body.', CART],
  }),
  setCartConsumer: post(
    '/{consumerCartId}/setConsumerUser/{consumerUserId}',
    'Sets the consumer of a cart',
    {
      answer: recordOrNone(consumerCart),
      emits: ['UPDATE_CONSUMER_ORDER'],
      notShown: ['The body: none is needed.', CART],
    },
  ),
  addCartPayments: post(
    '/{consumerCartId}/payments',
    'Adds payments to the transaction of a cart',
    {
      body: json(z.union([payment, z.array(payment)])),
      answer: recordOrNone(consumerCart),
      emits: ['UPDATE_TRANSACTION'],
      notShown: ['The body: one payment or a list of them.', CART],
    },
  ),
})
