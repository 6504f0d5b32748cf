import type { ActionContext } from '../events/emit.ts'
import { emit } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { allTimes } from '../stock/stock-transaction.ts'
import { cents, decimal } from '../values/money.ts'
import { quantity, readQuantity } from '../values/quantity.ts'
import { taxRecord } from './cart-record.ts'
import { completedSale, itemsOf, portionsOf } from './completed-sale.ts'
import type { PricedCart, PricedLine } from './pricing.ts'
import { spreadCartDiscount, sumUp } from './pricing.ts'
import { recordOf, recordsOf } from './values.ts'

/**
 * Which lines come back (by `orderItemId`; without any, all of them), whether the goods do, and how
 * refunds are signed.
 */
export interface Refund {
  orderItemIds: readonly string[] | undefined
  restock: boolean
  sign: 1 | -1
}

/** A line as it was sold, with the item that it was read from. */
interface ReturnedLine extends PricedLine {
  item: JsonRecord
}

/** What comes back, and how it is written. */
interface Return {
  id: string
  lines: readonly ReturnedLine[]
  money: PricedCart<ReturnedLine>
  restock: boolean
  sign: 1 | -1
}

/**
 * A transaction of its own, of today, with the lines as they were sold: prices, discounts and taxes
 * go back as they came. Returns its id. Nothing keeps a line from coming back twice: tills let that
 * happen, and books have to show it.
 */
export function refundTransaction(
  doing: ActionContext,
  parentId: string,
  { orderItemIds, restock, sign }: Refund,
): string {
  const { nowMs, world } = doing
  const { transactions } = world.lists
  const { record } = completedSale(doing, parentId, 'refund')
  const { lines, percentOff } = returnedLines(record, orderItemIds)
  const extra = { deliveryFee: 0, cardFee: 0, step: world.shop.cashStep, loyalty: 0 }
  const money = sumUp(lines, percentOff, extra)
  const id = transactions.idOf(transactions.nextNumber)
  if (restock) world.stock.put(portionsOf(lines.map(({ item }) => item)), nowMs)
  const { created: _, modified: __, consumerCartId: ___, memo: ____, ...sale } = record
  const back: Return = { id, lines, money, restock, sign }
  transactions.insert(
    {
      ...sale,
      id,
      transNo: String(100_001 + transactions.nextNumber),
      transType: 'Refund',
      status: 'Completed',
      active: false,
      deleted: false,
      parentTransactionId: parentId,
      ...allTimes(nowMs),
      pointsEarned: decimal(0),
      payments: [paymentBack(back, nowMs)],
      cart: cartBack(recordOf(record['cart']), back),
    },
    nowMs,
  )
  emit(doing, 'CREATE_TRANSACTION', transactions, id)
  emit(doing, 'COMPLETE_TRANSACTION', transactions, id)
  return id
}

/** The lines that come back, each with its part of the cart's discount. */
function returnedLines(
  record: JsonRecord,
  orderItemIds: readonly string[] | undefined,
): { lines: ReturnedLine[]; percentOff: number } {
  const cart = recordOf(record['cart'])
  const percentOff =
    cart['discountType'] === 'Percentage' ? (cents(cart['discount']) ?? 0) / 100 : 0
  const all = itemsOf(record).map(item => ({ ...soldLine(item), item }))
  const whole = all.reduce((sum, line) => sum + line.cost - line.discount, 0)
  const cartDiscount = cents(cart['calcCartDiscount']) ?? 0
  spreadCartDiscount(all, percentOff, cartDiscount - Math.round((whole * percentOff) / 100))
  const lines = all.filter(
    ({ item }) => orderItemIds?.includes(String(item['orderItemId'])) ?? true,
  )
  if (lines.length === 0)
    throw invalid('orderItemIds', 'No line of this transaction is among orderItemIds')
  return { lines, percentOff }
}

/** Cents as they are written in this refund; zero has no sign. */
const signed = (amount: number, { sign }: Return): object =>
  decimal(amount === 0 ? 0 : sign * amount)

function paymentBack(back: Return, nowMs: number): JsonRecord {
  const total = signed(back.money.total, back)
  return {
    id: `${back.id}p0`,
    line: 1,
    paymentOption: 'Cash',
    paidAmount: total,
    paymentReceived: total,
    changeDue: decimal(0),
    cashBack: decimal(0),
    blazeTip: decimal(0),
    blazeFee: decimal(0),
    blazeTotalCharged: total,
    paidTime: nowMs,
    storageLocation: 'CashDrawer',
  }
}

/** What a sale may have had, and a refund never has. */
const NOT_REFUNDED = [
  'afterTaxDiscount',
  'appliedAfterTaxDiscount',
  'pointSpent',
  'deliveryFee',
  'creditCardFee',
  'balanceDue',
  'changeDue',
]

function cartBack(cart: JsonRecord, back: Return): JsonRecord {
  const { lines, money, restock, sign } = back
  const postTax = money.city + money.excise + money.state + money.county
  const total = signed(money.total, back)
  return {
    ...cart,
    items: lines.map(({ item }, at) => itemBack(item, `${back.id}${at}`, back)),
    subTotal: signed(money.subTotal, back),
    calcCartDiscount: signed(money.cartDiscount, back),
    subTotalDiscount: signed(money.subTotal - money.cartDiscount, back),
    totalDiscount: signed(money.lineDiscount + money.cartDiscount, back),
    ...Object.fromEntries(NOT_REFUNDED.map(field => [field, decimal(0)])),
    tax: signed(postTax, back),
    taxResult: negated(taxRecord(money), undefined, sign),
    totalPreCalcTax: signed(money.statePre, back),
    totalCalcTax: signed(postTax, back),
    totalExciseTax: signed(money.excise, back),
    enableDeliveryFee: false,
    enableCreditCardFee: false,
    roundAmt: signed(money.rounding, back),
    total,
    cashReceived: total,
    refundAmount: total,
    refundOption: restock ? 'WithInventory' : 'WithoutInventory',
    paymentOption: 'Cash',
  }
}

function itemBack(item: JsonRecord, orderItemId: string, { restock, sign }: Return): JsonRecord {
  const logs = restock ? recordsOf(item['quantityLogs']) : []
  return {
    ...negated(item, ITEM_MONEY, sign),
    orderItemId,
    taxResult: negated(recordOf(item['taxResult']), undefined, sign),
    quantityLogs: logs.map(log => ({
      ...log,
      quantity: quantity(sign * (readQuantity(log['quantity']) ?? 0)),
    })),
  }
}

const ITEM_MONEY = [
  'quantity',
  'origQuantity',
  'cost',
  'calcDiscount',
  'finalPrice',
  'calcTax',
  'calcPreTax',
] as const

const negated = (
  record: JsonRecord,
  fields: readonly string[] = Object.keys(record),
  sign: 1 | -1,
): JsonRecord => ({
  ...record,
  ...Object.fromEntries(
    fields.map(field => [field, decimal(sign * (cents(record[field]) ?? 0) || 0)]),
  ),
})

/** A line as it was sold, in cents again. */
function soldLine(item: JsonRecord): PricedLine {
  const of = (record: JsonRecord, field: string): number => cents(record[field]) ?? 0
  const tax = recordOf(item['taxResult'])
  return {
    quantity: of(item, 'quantity'),
    cost: of(item, 'cost'),
    discount: of(item, 'calcDiscount'),
    percentOff: 0,
    cartDiscount: 0,
    city: of(tax, 'totalCityTax'),
    excise: of(tax, 'totalExciseTax'),
    state: of(tax, 'totalStateTax'),
    county: of(tax, 'totalCountyTax'),
    statePre: of(tax, 'totalPreCalcTax'),
  }
}
