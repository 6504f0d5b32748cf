import { emit } from '../events/emit.ts'
import { invalid, notFound } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import { quantity, readQuantity } from '../values/quantity.ts'
import { mix, mixText } from '../values/random.ts'
import { readCart } from './asked-cart.ts'
import { cartRecord } from './cart-record.ts'
import { joinMember } from './join-member.ts'
import { readPaid } from './pay.ts'
import type { PricedOrder } from './price-cart.ts'
import { priceCart } from './price-cart.ts'
import { move, CART_MOVES } from './states.ts'
import { moveCart } from './tracking.ts'
import { queueTransaction } from './transactions.ts'
import { readChoice, recordOf, recordsOf, textOf, wantedCart } from './values.ts'

/** What a request may say about an order; everything else of the record is ours to say. */
const OPEN_FIELDS = [
  'sessionId',
  'externalId',
  'source',
  'salesChannel',
  'reason',
  'memo',
  'additionalNotes',
  'deliveryAddress',
  'pickUpDate',
  'deliveryDate',
  'completeAfter',
  'expiredAt',
  'eta',
  'orderTags',
  'overrideRegionId',
  'overrideInventoryId',
  'dispatchRegionId',
  'disableAutoAssignment',
  'disableAutoRegionDispatch',
  'activeInventoryIds',
  'externalPaymentIds',
  'externalPaymentConfigId',
  'chargeId',
  'integrations',
  'rewardName',
  'partnerId',
] as const

/** Cart as it is before anything is known about it: documented defaults, nothing placed. */
const fresh = (publicKey: string): JsonRecord => ({
  publicKey,
  cartStatus: 'InProgress',
  trackingStatus: 'NotStarted',
  dispatchRegionId: '',
  placed: false,
  accepted: false,
  completed: false,
  packaged: false,
  onTheWay: false,
  anonymous: true,
  prepaid: false,
  disableAutoAssignment: false,
  disableAutoRegionDispatch: false,
  committed: false,
  orderTags: [],
  activeInventoryIds: [],
  externalPaymentIds: [],
})

/**
 * Stores what a request asks for, priced; as a new cart, or as the new content of cart `number`.
 * Returns its number.
 */
export function prepareCart(call: Call, owner: JsonRecord | undefined, number?: number): number {
  const { world, body, nowMs } = call
  const { consumer_carts: carts } = world.lists
  const known = number === undefined ? undefined : carts.read(number)
  if (known !== undefined) move(CART_MOVES, 'update', 'cartStatus', String(known['cartStatus']))
  const id = number === undefined ? carts.idOf(carts.nextNumber) : carts.idOf(number)
  const member = memberOf(call, owner, known)
  const record: JsonRecord = {
    ...(known === undefined ? fresh(keyOf(world.shop.seed, id)) : {}),
    ...saidOf(call, known),
    ...(owner === undefined ? {} : { consumerId: owner['id'], anonymous: false }),
    ...(member === undefined ? {} : { memberId: member['id'] }),
  }
  const cart = { ...recordOf(known?.['cart']), ...wantedCart(body) }
  const rewardName = textOf(body['rewardName'])
  const order = priceCart(world, readCart(cart, world.lists.products, rewardName), {
    member,
    consumer: owner,
    delivery: record['pickupType'] !== 'Pickup',
    nowMs,
  })
  const content = { ...record, cart: cartRecord(order, { id, payments: [] }) }
  if (number === undefined) return carts.find(carts.insert({ id, ...content }, nowMs))!
  moveCart(call, id, { cart: 'update' }, content)
  return number
}

/** What the request says of the order, and where it says nothing what was known of it. */
function saidOf({ body, exact }: Call, known: JsonRecord | undefined): JsonRecord {
  const said = OPEN_FIELDS.filter(field => exact[field] !== undefined)
  return {
    ...Object.fromEntries(said.map(field => [field, exact[field]])),
    pickupType: readChoice(
      body['pickupType'],
      'pickupType',
      ['Pickup', 'Delivery', 'Ship'],
      (known?.['pickupType'] as 'Delivery' | undefined) ?? 'Delivery',
    ),
    transactionSource: readChoice(
      body['transactionSource'],
      'transactionSource',
      ['Retail', 'Widget', 'Ext1', 'Ext2'],
      (known?.['transactionSource'] as 'Widget' | undefined) ?? 'Widget',
    ),
  }
}

/** The member that a cart is for: of its consumer, or named by the request. */
function memberOf(
  { world, body }: Call,
  owner: JsonRecord | undefined,
  known: JsonRecord | undefined,
): JsonRecord | undefined {
  const id = textOf(owner?.['memberId']) ?? textOf(body['memberId']) ?? textOf(known?.['memberId'])
  if (id === undefined) return undefined
  const member = world.lists.members.get(id)
  if (member === undefined) throw notFound('memberId', 'There is no such member')
  return member
}

/** The order as priced now, with its member. */
export function priceOrder(
  { world, nowMs }: Call,
  record: JsonRecord,
): PricedOrder & { member: JsonRecord | undefined } {
  const { lists } = world
  const [memberId, consumerId] = [textOf(record['memberId']), textOf(record['consumerId'])]
  const member = memberId === undefined ? undefined : lists.members.get(memberId)
  const consumer = consumerId === undefined ? undefined : lists.consumer_users.get(consumerId)
  return {
    ...priceCart(world, readCart(recordOf(record['cart']), lists.products), {
      member,
      consumer,
      delivery: record['pickupType'] !== 'Pickup',
      nowMs,
    }),
    member,
  }
}

/**
 * Submits a cart: it is Placed, holds its goods, and stands in the queue as a transaction. Refused
 * if it is empty, was submitted before, or asks for more than is in stock and not held by other
 * orders.
 */
export function submitCart(call: Call, number: number): void {
  const { world } = call
  const { lists } = world
  const id = lists.consumer_carts.idOf(number)
  move(CART_MOVES, 'submit', 'cartStatus', String(lists.consumer_carts.read(number)['cartStatus']))
  // What the request says of the order counts as much as what was prepared.
  if (Object.keys(call.body).length > 0)
    prepareCart(call, ownerOf(call, lists.consumer_carts.read(number)), number)
  const record = lists.consumer_carts.read(number)
  const paid = recordsOf(record['payments']).map(readPaid)
  const memberId = joinMember(call, record)
  const order = priceOrder(call, { ...record, ...(memberId === undefined ? {} : { memberId }) })
  if (order.money.lines.length === 0) throw invalid('items', 'The cart is empty')
  for (const { item, quantity: wanted } of order.money.lines)
    holdGoods(call, record, String(item.product['id']), wanted * 100)
  const cart = cartRecord(order, { id, payments: paid })
  const transactionId = queueTransaction(call, {
    member: order.member,
    queueType: record['pickupType'] === 'Pickup' ? 'Online' : 'Delivery',
    details: queueDetails(id, record),
    payments: paid,
    cart: () => cart,
  })
  const transNo = lists.transactions.get(transactionId)!['transNo']
  moveCart(
    call,
    id,
    { cart: 'submit', tracking: 'submit' },
    {
      ...(memberId === undefined ? {} : { memberId }),
      transactionId,
      transNo,
      orderNo: `O-${String(transNo)}`,
      committed: true,
      cart,
    },
  )
  emit(call, 'NEW_CONSUMER_ORDER', lists.consumer_carts, id)
}

/** What the transaction says of the order that it came from. */
function queueDetails(id: string, record: JsonRecord): JsonRecord {
  const optional = ['deliveryAddress', 'overrideInventoryId'].filter(
    field => record[field] !== undefined,
  )
  return {
    consumerCartId: id,
    source: record['transactionSource'],
    trackingStatus: 'Placed',
    orderTags: ['online'],
    ...Object.fromEntries(optional.map(field => [field, record[field]])),
    ...(textOf(record['memo']) === undefined ? {} : { memo: record['memo'] }),
  }
}

const ownerOf = ({ world }: Call, record: JsonRecord): JsonRecord | undefined =>
  typeof record['consumerId'] === 'string'
    ? world.lists.consumer_users.get(record['consumerId'])
    : undefined

/** Reading: a submitted order reserves its goods; they leave their batches when it is completed. */
function holdGoods(
  { world, nowMs }: Call,
  cart: JsonRecord,
  productId: string,
  amount: number,
): void {
  const { consumer_order_quantities: quantities, inventories, regions } = world.lists
  const inventoryId = textOf(cart['overrideInventoryId'])
  const portions = world.stock.sellable(productId, inventoryId)
  const onHand = portions.reduce((sum, portion) => sum + portion.amount, 0)
  const held = quantities
    .where('productId', productId)
    .map(number => quantities.read(number))
    .filter(row => row['active'] === true)
    .reduce((sum, row) => sum + (readQuantity(row['quantity']) ?? 0), 0)
  if (amount > onHand - held)
    throw invalid('quantity', 'There is not enough of this product in stock')
  quantities.insert(
    {
      inventoryId: inventoryId ?? portions[0]?.inventoryId ?? inventories.idOf(0),
      regionId: textOf(cart['overrideRegionId']) ?? regions.idOf(0),
      productId,
      consumerCartId: cart['id'],
      quantity: quantity(amount),
      active: true,
      submitted: true,
    },
    nowMs,
  )
}

/** A key that nobody guesses from the id. */
const keyOf = (seed: number, id: string): string =>
  [1, 2, 3]
    .map(part =>
      mix(mixText(seed, id), 0x9cb + part)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
