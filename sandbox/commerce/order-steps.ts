import { emit } from '../events/emit.ts'
import { invalid, notFound } from '../http/api-error.ts'
import { readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import { parseExactly } from '../values/money.ts'
import { cartRecord } from './cart-record.ts'
import { priceOrder } from './orders.ts'
import { paymentRecord, readPaid, readPayments } from './pay.ts'
import { chargeCard } from './payment-cards.ts'
import { moveCart } from './tracking.ts'
import { cancelTransaction } from './transactions.ts'
import { recordOf, recordsOf, textOf } from './values.ts'

/** Marks one line, or all of them, as ready or not; an order whose lines all are is Packaged. */
export function finalizeItems(
  call: Call,
  number: number,
  finalized: boolean,
  orderItemId?: string,
): void {
  const { consumer_carts: carts, transactions } = call.world.lists
  const record = parseExactly(carts.text(number)) as JsonRecord
  const cart = recordOf(record['cart'])
  const items = recordsOf(cart['items'])
  if (orderItemId !== undefined && !items.some(item => item['orderItemId'] === orderItemId))
    throw notFound('orderItemId', 'There is no such item')
  const marked = items.map(item =>
    orderItemId === undefined || item['orderItemId'] === orderItemId
      ? { ...item, finalized }
      : item,
  )
  const content = { cart: { ...cart, items: marked } }
  const placed = record['cartStatus'] !== 'InProgress'
  moveCart(
    call,
    carts.idOf(number),
    {
      cart: 'finalizeItem',
      ...(placed
        ? { tracking: marked.every(item => item['finalized'] === true) ? 'pack' : 'unpack' }
        : {}),
    },
    content,
  )
  const transaction =
    typeof record['transactionId'] === 'string'
      ? transactions.find(record['transactionId'])
      : undefined
  if (transaction === undefined) return
  transactions.edit(transaction, content, call.nowMs)
  emit(call, 'UPDATE_TRANSACTION', transactions, transactions.idOf(transaction))
}

/** Money that came in for an order, before or after it is submitted. */
export function addPayments(call: Call, number: number): void {
  const { consumer_carts: carts, transactions } = call.world.lists
  const record = carts.read(number)
  const id = carts.idOf(number)
  const asked = call.items.length > 0 ? call.items : (call.body['payments'] ?? call.body)
  const now = readPayments(asked, call.nowMs)
  for (const { tender, cardNumber, paid } of now)
    if (tender === 'GiftCard' && cardNumber !== undefined) chargeCard(call, cardNumber, paid)
  const payments = [...recordsOf(record['payments']).map(readPaid), ...now]
  const order = priceOrder(call, record)
  const paid = payments.reduce((sum, row) => sum + row.paid, 0)
  const cash = payments.some(row => row.tender === 'Cash')
  if (paid > order.money.total && !cash) throw invalid('amount', 'More was paid than is due')
  const rows = {
    payments: payments.map((row, at) => paymentRecord(row, id, at)),
    cart: cartRecord(order, { id, payments }),
  }
  const prepaid = paid >= order.money.total
  moveCart(call, id, { cart: 'pay' }, { ...rows, prepaid })
  const transaction =
    typeof record['transactionId'] === 'string'
      ? transactions.find(record['transactionId'])
      : undefined
  if (transaction === undefined) return
  transactions.edit(transaction, { ...rows, paid: prepaid }, call.nowMs)
  emit(call, 'UPDATE_TRANSACTION', transactions, transactions.idOf(transaction))
}

/** Gives an order up, and the transaction that waits for it. */
export function cancelCart(call: Call, number: number): void {
  const { consumer_carts: carts } = call.world.lists
  const { transactionId } = carts.read(number)
  const reason = readText(call.query, 'reason') ?? textOf(call.body['reason'])
  moveCart(
    call,
    carts.idOf(number),
    { cart: 'cancelByConsumer', tracking: 'decline' },
    reason === undefined ? {} : { reason },
  )
  if (typeof transactionId === 'string') cancelTransaction(call, transactionId)
}
