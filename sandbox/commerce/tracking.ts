import { emit } from '../events/emit.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import type { CartStep, TrackingStep, TransactionStep } from './states.ts'
import { after, CART_MOVES, move, TRACKING_MOVES } from './states.ts'

/**
 * What the consumer sees of each step: a flag and a moment, in the documented fields of
 * ConsumerCart.
 */
const MARKS: Readonly<Partial<Record<string, { flag?: string; time?: string }>>> = {
  Placed: { flag: 'placed', time: 'orderPlacedTime' },
  Accepted: { flag: 'accepted', time: 'acceptedTime' },
  Packaged: { flag: 'packaged', time: 'packagedTime' },
  OnTheWay: { flag: 'onTheWay', time: 'onTheWayTime' },
  Delivered: { flag: 'completed', time: 'completedTime' },
  Declined: { time: 'declinedTime' },
  CanceledByConsumer: { time: 'canceledTime' },
  CanceledByDispensary: { time: 'canceledTime' },
}

/**
 * Moves an order on: its status, if the step changes that (refused where it cannot), and how far it
 * has come, as far as that step applies there. `patch` is what else changes of the record.
 */
export function moveCart(
  call: Call,
  cartId: string,
  steps: OrderSteps,
  patch: JsonRecord = {},
): JsonRecord {
  const { consumer_carts: carts } = call.world.lists
  const number = carts.find(cartId)!
  const before = carts.read(number)
  const [status, tracking] = [String(before['cartStatus']), String(before['trackingStatus'])]
  const cartStatus =
    steps.cart === undefined ? status : move(CART_MOVES, steps.cart, 'cartStatus', status)
  const trackingStatus =
    steps.tracking === undefined
      ? tracking
      : (after(TRACKING_MOVES, steps.tracking, tracking) ?? tracking)
  const reached = [
    ...(cartStatus === status ? [] : [cartStatus]),
    ...(trackingStatus === tracking ? [] : [trackingStatus]),
  ]
  const marks = reached.flatMap(state => {
    const { flag, time } = MARKS[state] ?? {}
    return [
      ...(flag === undefined ? [] : [[flag, true]]),
      ...(time === undefined ? [] : [[time, call.nowMs]]),
    ]
  })
  carts.edit(
    number,
    { ...patch, cartStatus, trackingStatus, ...Object.fromEntries(marks), updated: true },
    call.nowMs,
  )
  if (cartStatus !== 'InProgress' || steps.cart === 'update')
    emit(call, 'UPDATE_CONSUMER_ORDER', carts, cartId)
  return carts.read(number)
}

/**
 * What a step of a transaction means for the order behind it, if there is one; `cart` is its new
 * content. Returns how far the order has come.
 */
export function followTransaction(
  call: Call,
  cartId: string,
  step: TransactionStep,
  cart?: JsonRecord,
): unknown {
  const order = call.world.lists.consumer_carts.get(cartId)
  if (order === undefined) return undefined
  return moveCart(call, cartId, stepsOf(step, order), cart === undefined ? {} : { cart })[
    'trackingStatus'
  ]
}

interface OrderSteps {
  cart?: CartStep
  tracking?: TrackingStep
}

/**
 * Whoever works on a placed order accepts it; one that is packed and started again is on its way,
 * or waits to be picked up.
 */
function stepsOf(
  step: TransactionStep,
  { cartStatus, trackingStatus, pickupType }: JsonRecord,
): OrderSteps {
  const placed = cartStatus === 'Placed'
  const accept: OrderSteps = placed ? { cart: 'accept' } : {}
  const leave: TrackingStep = pickupType === 'Pickup' ? 'putOut' : 'setOut'
  const meanings: Partial<Record<TransactionStep, OrderSteps>> = {
    start: { ...accept, tracking: trackingStatus === 'Packaged' ? leave : 'accept' },
    employee: { ...accept, tracking: 'accept' },
    sendToFulfill: { ...accept, tracking: 'accept' },
    finalize: { ...accept, tracking: 'pack' },
    unfinalize: { tracking: 'unpack' },
    stop: { tracking: 'comeBack' },
    complete: { cart: 'complete', tracking: 'handOver' },
    delete: { cart: placed ? 'decline' : 'cancelByDispensary', tracking: 'decline' },
  }
  return meanings[step] ?? {}
}

/** Orders that were taken hold their goods until they are handed over or given up. */
export function releaseQuantities({ world, nowMs }: Call, cartId: string): void {
  const { consumer_order_quantities: quantities } = world.lists
  for (const number of quantities.where('consumerCartId', cartId)) {
    if (quantities.read(number)['active'] === true)
      quantities.edit(number, { active: false, processedTime: nowMs }, nowMs)
  }
}
