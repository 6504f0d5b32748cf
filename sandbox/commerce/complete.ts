import { emit } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import type { Call } from '../routes/route.ts'
import type { Portion } from '../stock/stock-room.ts'
import { decimal } from '../values/money.ts'
import { cartRecord } from './cart-record.ts'
import type { Paid } from './pay.ts'
import { optionOf, paymentRecord, readPaid, readPayments, settleTotal } from './pay.ts'
import { chargeCard } from './payment-cards.ts'
import { addPoints, pointsFor } from './points.ts'
import type { PricedItem, PricedOrder } from './price-cart.ts'
import { followTransaction, releaseQuantities } from './tracking.ts'
import { priceTransaction, transactionFor } from './transactions.ts'
import { readAmount, recordOf, recordsOf, textOf } from './values.ts'

/**
 * Sells what is in the cart: settles the total, takes the goods out of their batches, gives and
 * takes loyalty points, and completes the order behind it. Refused as a whole where any of that is
 * not possible.
 */
export function completeTransaction(call: Call, id: string): void {
  const { world, nowMs } = call
  const { transactions } = world.lists
  const { number, record, status } = transactionFor(call, id, 'complete')
  const priced = priceTransaction(call, record)
  if (priced.money.lines.length === 0)
    throw invalid('items', 'The cart of this transaction is empty')
  const payments = settle(call, priced, record)
  const order = { ...priced, asked: { ...priced.asked, paymentOption: optionOf(payments) } }
  const lots = order.money.lines.map(line =>
    takeGoods(call, line, textOf(record['overrideInventoryId'])),
  )
  const cart = cartRecord(order, { id, payments, lots })
  const cartId = textOf(record['consumerCartId']) ?? ''
  transactions.edit(
    number,
    {
      ...tillOf(call, record),
      status,
      active: false,
      paid: true,
      startTime: record['startTime'] ?? nowMs,
      processedTime: nowMs,
      completedTime: nowMs,
      endTime: nowMs,
      trackingStatus: cartId === '' ? record['trackingStatus'] : 'Delivered',
      pointsEarned: decimal(reward(call, order, record)),
      payments: payments.map((row, at) => paymentRecord(row, id, at)),
      cart,
      updated: true,
    },
    nowMs,
  )
  releaseQuantities(call, cartId)
  followTransaction(call, cartId, 'complete', cart)
  emit(call, 'COMPLETE_TRANSACTION', transactions, id)
}

/** What was paid before and with this request; gift cards are charged. */
function settle(call: Call, { money, asked }: PricedOrder, record: JsonRecord): Paid[] {
  const { body, nowMs } = call
  const before = recordsOf(record['payments']).map(readPaid)
  const now = body['payments'] === undefined ? [] : readPayments(body['payments'], nowMs)
  const cash = recordOf(body['cart'])['cashReceived'] ?? body['cashReceived']
  const received = cash === undefined ? undefined : readAmount(cash, 'cashReceived')
  for (const { tender, cardNumber, paid } of now)
    if (tender === 'GiftCard' && cardNumber !== undefined) chargeCard(call, cardNumber, paid)
  const due = { ...money, option: asked.paymentOption }
  return settleTotal(due, [...before, ...now], received === 0 ? undefined : received, nowMs)
}

function takeGoods(
  { world, nowMs }: Call,
  { item, quantity }: PricedItem,
  inventoryId: string | undefined,
): Portion[] {
  const from = {
    ...(inventoryId === undefined ? {} : { inventoryId }),
    ...(item.batchId === undefined ? {} : { batchId: item.batchId }),
  }
  return world.stock.take(String(item.product['id']), quantity * 100, nowMs, from)
}

/**
 * Points for the member, what a reward costs, and one more use of the promotion. Returns the
 * hundredths of points earned.
 */
function reward(
  call: Call,
  { money, reward: chosen, promotion }: PricedOrder,
  record: JsonRecord,
): number {
  const { lists } = call.world
  if (promotion !== undefined)
    lists.promotions.edit(
      findNumber(lists.promotions, String(promotion['id']), 'promoCode'),
      { usageCount: Number(promotion['usageCount'] ?? 0) + 1 },
      call.nowMs,
    )
  const memberId = textOf(record['memberId'])
  const member = memberId === undefined ? undefined : lists.members.find(memberId)
  if (memberId === undefined || member === undefined) return 0
  const earned = pointsFor(money.subTotal)
  const of = { transactionId: record['id'], transNo: record['transNo'] }
  if (money.afterTaxDiscount > 0)
    addPoints(
      call,
      memberId,
      { points: -Number(chosen?.['points'] ?? 0) * 100, activityType: 'Spend' },
      {
        note: 'Reward',
        ...of,
      },
    )
  addPoints(call, memberId, { points: earned, activityType: 'Earn' }, { note: 'Purchase', ...of })
  lists.members.edit(member, { lastVisitDate: call.nowMs }, call.nowMs)
  return earned
}

/** Who sold it, and where: the employee that it is assigned to or the first, the first till. */
function tillOf({ world, body }: Call, record: JsonRecord): JsonRecord {
  const { employees } = world.lists
  const wanted =
    textOf(body['employeeId']) ?? textOf(body['sellerId']) ?? textOf(record['assignedEmployeeId'])
  const number =
    wanted === undefined ? employees.order.numberAt(0) : findNumber(employees, wanted, 'employeeId')
  const { id, firstName, lastName, pin } = employees.read(number)
  const terminalId =
    textOf(body['terminalId']) ?? textOf(record['terminalId']) ?? world.catalog.terminals[0]
  return {
    createdById: record['createdById'] ?? id,
    sellerId: id,
    seller: { id, firstName, lastName, pin },
    terminalId,
    sellerTerminalId: terminalId,
  }
}
