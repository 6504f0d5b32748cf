import { emit } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import type { Call } from '../routes/route.ts'
import { decimal } from '../values/money.ts'
import { readCart } from './asked-cart.ts'
import type { Paid } from './pay.ts'
import { paymentRecord } from './pay.ts'
import type { PricedOrder } from './price-cart.ts'
import { priceCart } from './price-cart.ts'
import type { TransactionStep } from './states.ts'
import { move, OPEN, TRANSACTION_MOVES } from './states.ts'
import { followTransaction, releaseQuantities } from './tracking.ts'
import { isRecord, recordOf, textOf, wantedCart } from './values.ts'

export const QUEUES = ['WalkIn', 'Delivery', 'Online', 'Special'] as const

interface Start {
  member: JsonRecord | undefined
  queueType: (typeof QUEUES)[number]
  /** Where it comes from, and what else it carries. */
  details: JsonRecord
  /** What was paid for it already. */
  payments?: readonly Paid[]
  /** Its cart; the id that it gets numbers the lines. */
  cart(id: string): JsonRecord
}

/**
 * A transaction at the end of a queue, in the fields of the seeded ones
 * (`seed/transaction-json.ts`). Returns its id.
 */
export function queueTransaction(
  call: Call,
  { member, queueType, details, payments = [], cart }: Start,
): string {
  const { world, nowMs } = call
  const { transactions } = world.lists
  const id = transactions.idOf(transactions.nextNumber)
  transactions.insert(
    {
      id,
      transNo: String(100_001 + transactions.nextNumber),
      transType: 'Sale',
      status: 'Queued',
      active: true,
      queueType,
      source: 'Retail',
      checkoutType: 'Direct',
      trackingStatus: 'NotStarted',
      orderTags: [],
      ...(member === undefined ? {} : { memberId: member['id'], member: nestedMember(member) }),
      timeZone: world.shop.timeZone,
      checkinTime: nowMs,
      pointsEarned: decimal(0),
      traceSubmitStatus: 'None',
      locked: false,
      paid: false,
      payments: payments.map((row, at) => paymentRecord(row, id, at)),
      ...details,
      cart: cart(id),
    },
    nowMs,
  )
  emit(call, 'CREATE_TRANSACTION', transactions, id)
  return id
}

/**
 * A transaction that a step may be taken from, and the status that it leads to; refused otherwise.
 */
export function transactionFor(
  call: Call,
  id: string,
  step: TransactionStep,
): { number: number; record: JsonRecord; status: string } {
  const { transactions } = call.world.lists
  const number = findNumber(transactions, id, 'transactionId')
  const record = transactions.read(number)
  if (record['transType'] !== 'Sale') throw invalid('transType', 'Only sales go through the queue')
  return {
    number,
    record,
    status: move(TRANSACTION_MOVES, step, 'status', String(record['status'])),
  }
}

/** Takes one step that changes fields: the transaction, and the order behind it. */
export function stepTransaction(
  call: Call,
  id: string,
  step: TransactionStep,
  patch: (record: JsonRecord) => JsonRecord,
): JsonRecord {
  const { transactions } = call.world.lists
  const { number, record, status } = transactionFor(call, id, step)
  const changes = patch(record)
  const trackingStatus =
    followTransaction(
      call,
      textOf(record['consumerCartId']) ?? '',
      step,
      isRecord(changes['cart']) ? changes['cart'] : undefined,
    ) ?? record['trackingStatus']
  transactions.edit(
    number,
    {
      ...changes,
      status,
      trackingStatus,
      active: (OPEN as readonly string[]).includes(status),
      updated: true,
    },
    call.nowMs,
  )
  emit(call, 'UPDATE_TRANSACTION', transactions, id)
  return transactions.read(number)
}

/** Prices what the request asks for, or else what is in the transaction. */
export function priceTransaction(call: Call, record: JsonRecord): PricedOrder {
  const { world, body, nowMs } = call
  const known = recordOf(record['cart'])
  const wanted = wantedCart(body)
  const option = textOf(body['paymentOption'])
  const member = textOf(record['memberId'])
  const cart = { ...known, ...wanted, ...(option === undefined ? {} : { paymentOption: option }) }
  return priceCart(world, readCart(cart, world.lists.products), {
    member: member === undefined ? undefined : world.lists.members.get(member),
    consumer: undefined,
    delivery: record['queueType'] === 'Delivery',
    nowMs,
  })
}

/**
 * Gives an open transaction up. Whoever does so, the store or the consumer, decides what becomes of
 * the order behind it.
 */
export function cancelTransaction(call: Call, id: string): JsonRecord {
  const { transactions } = call.world.lists
  const { number, record, status } = transactionFor(call, id, 'delete')
  transactions.edit(
    number,
    { status, active: false, canceledTime: call.nowMs, endTime: call.nowMs, updated: true },
    call.nowMs,
  )
  releaseQuantities(call, textOf(record['consumerCartId']) ?? '')
  emit(call, 'CANCEL_TRANSACTION', transactions, id)
  return record
}

/** What is nested of a member, as in the seeded transactions. */
const nestedMember = ({ id, firstName, lastName, consumerType }: JsonRecord): JsonRecord => ({
  id,
  firstName,
  lastName,
  consumerType,
})
