import { readItem } from '../commerce/asked-cart.ts'
import { consumerNumber, needConsumer } from '../commerce/consumers.ts'
import { addPayments, cancelCart, finalizeItems } from '../commerce/order-steps.ts'
import { prepareCart, submitCart } from '../commerce/orders.ts'
import { isCannabis } from '../commerce/price-cart.ts'
import { addTaxes, startLine } from '../commerce/pricing.ts'
import { moveCart } from '../commerce/tracking.ts'
import { invalid, notFound } from '../http/api-error.ts'
import { EVERYTHING, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import { cents, decimal } from '../values/money.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { list } from './route.ts'

const carts = (call: Call): Call['world']['lists']['consumer_carts'] =>
  call.world.lists.consumer_carts
const consumerId = (call: Call, number: number): string =>
  call.world.lists.consumer_users.idOf(number)

/** Who asks, if somebody does: carts of others are not found. */
function owner(call: Call): JsonRecord | undefined {
  const number = consumerNumber(call)
  return number === undefined ? undefined : call.world.lists.consumer_users.read(number)
}

function numberOf(call: Call): number {
  const number = findNumber(carts(call), call.params['consumerCartId']!, 'consumerCartId')
  const asking = owner(call)
  const { consumerId: theirs } = carts(call).read(number)
  if (asking !== undefined && theirs !== undefined && theirs !== asking['id'])
    throw notFound('consumerCartId', 'There is no such cart of this consumer')
  return number
}

/** Operates on the cart of the path and answers it as it then is. */
const on =
  (operate: (call: Call, number: number) => void): Route['answer'] =>
  call => {
    const number = numberOf(call)
    operate(call, number)
    return carts(call).text(number)
  }

/**
 * Reading: the newest that is not submitted, of the consumer or session; or, submitted or not, by
 * one of its other ids.
 */
const active: Route['answer'] = call => {
  const wanted: Readonly<Record<string, unknown>> = {
    consumerId: owner(call)?.['id'],
    ...Object.fromEntries(
      ['sessionId', 'externalId', 'transactionId'].map(name => [name, readText(call.query, name)]),
    ),
  }
  const given = Object.entries(wanted).filter(([, value]) => typeof value === 'string') as [
    string,
    string,
  ][]
  if (given.length === 0)
    throw invalid('cuid', 'cuid, sessionId, externalId or transactionId is required')
  const open =
    wanted['transactionId'] === undefined ? ['InProgress'] : ['InProgress', 'Placed', 'Accepted']
  const [[first, value]] = given as [[string, string]]
  const found = carts(call)
    .where(first, value)
    .filter(number => {
      const cart = carts(call).read(number)
      return (
        open.includes(String(cart['cartStatus'])) &&
        given.every(([field, text]) => cart[field] === text)
      )
    })
  const newest = found.sort((a, b) => carts(call).modifiedOf(a) - carts(call).modifiedOf(b)).at(-1)
  if (newest === undefined) throw notFound('cuid', 'There is no active cart')
  return carts(call).text(newest)
}

/** Reading: with the id of a cart it is prepared again, without one it is a new cart. */
const prepare: Route['answer'] = call => {
  const id = call.body['id']
  const asking =
    owner(call) ??
    (typeof call.body['consumerId'] === 'string'
      ? call.world.lists.consumer_users.read(
          findNumber(call.world.lists.consumer_users, call.body['consumerId'], 'consumerId'),
        )
      : undefined)
  return carts(call).text(
    prepareCart(
      call,
      asking,
      typeof id === 'string' && id !== '' ? findNumber(carts(call), id, 'id') : undefined,
    ),
  )
}

/** What one line would cost, without the cart's discounts. */
const findCost: Route['answer'] = call => {
  const { shop, lists } = call.world
  const item = readItem(call.body, lists.products)
  const unitPrice = cents(item.product['unitPrice']) ?? 0
  const line = startLine(item.quantity, unitPrice, item.percentOff, item.amountOff)
  addTaxes(shop, line, isCannabis(call.world, item.product), false)
  return {
    productId: item.product['id'],
    quantity: decimal(item.quantity),
    unitPrice: decimal(unitPrice),
    cost: decimal(line.cost),
    calcDiscount: decimal(line.discount),
    finalPrice: decimal(line.cost - line.discount),
    calcTax: decimal(line.city + line.excise + line.state + line.county),
    calcPreTax: decimal(line.statePre),
  }
}

/** Lines are numbered from their cart, so that the id of a line says which cart it is in. */
const finalize =
  (finalized: boolean): Route['answer'] =>
  call => {
    const orderItemId = call.params['orderItemId']!
    const number = carts(call).find(orderItemId.slice(0, 24))
    if (number === undefined) throw notFound('orderItemId', 'There is no such item')
    finalizeItems(call, number, finalized, orderItemId)
    return carts(call).text(number)
  }

const finalizeAll: Route['answer'] = call => {
  const id =
    readText(call.query, 'consumerCartId') ?? call.body['consumerCartId'] ?? call.body['id']
  if (typeof id !== 'string') throw invalid('consumerCartId', 'consumerCartId is required')
  const number = findNumber(carts(call), id, 'consumerCartId')
  finalizeItems(call, number, true)
  return carts(call).text(number)
}

export const consumerCartRoutes: readonly Route[] = [
  play('listCarts', call => {
    const id = consumerId(call, needConsumer(call))
    return list(call, {
      collection: carts(call),
      range: EVERYTHING,
      sortedBy: 'modified',
      matches: cart => cart['consumerId'] === id,
    })
  }),
  play('getActiveCart', active),
  play('getCart', call => {
    needConsumer(call)
    return carts(call).text(numberOf(call))
  }),
  play('prepareCart', prepare),
  play(
    'updateCart',
    on((call, number) => prepareCart(call, owner(call), number)),
    { merges: true },
  ),
  play(
    'submitCart',
    on((call, number) => submitCart(call, number)),
    { merges: true },
  ),
  play('cancelCart', on(cancelCart)),
  play('findProductCost', findCost),
  play('getPublicCart', call => {
    const [number] = carts(call).where('publicKey', call.params['publicKey']!)
    if (number === undefined) throw notFound('publicKey', 'There is no such cart')
    return carts(call).text(number)
  }),
  play('finalizeItem', finalize(true)),
  play('unfinalizeItem', finalize(false)),
  play('finalizeItems', finalizeAll),
  play(
    'setCartConsumer',
    on((call, number) => {
      const { consumer_users: consumers } = call.world.lists
      const { id, memberId } = consumers.read(
        findNumber(consumers, call.params['consumerUserId']!, 'consumerUserId'),
      )
      moveCart(
        call,
        carts(call).idOf(number),
        { cart: 'setConsumerUser' },
        { consumerId: id, anonymous: false, ...(memberId === undefined ? {} : { memberId }) },
      )
    }),
  ),
  play('addCartPayments', on(addPayments)),
]
