import type { Doing } from '../events/emit.ts'
import { emit } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import type { Portion } from '../stock/stock-room.ts'
import { cents, decimal, parseExactly } from '../values/money.ts'
import { quantity, readQuantity } from '../values/quantity.ts'
import { PAYMENT_OPTIONS } from './asked-cart.ts'
import { addPoints } from './points.ts'
import type { PricedLine } from './pricing.ts'
import { spreadCartDiscount, sumUp } from './pricing.ts'
import type { TransactionStep } from './states.ts'
import { move, TRANSACTION_MOVES } from './states.ts'
import { readChoice, recordOf, recordsOf, textOf } from './values.ts'

/**
 * What stores do to completed sales, and the documentation has no operation for: tests need it,
 * `/_control` offers it.
 */

function completed(
  doing: Doing,
  id: string,
  step: TransactionStep,
): { number: number; record: JsonRecord; status: string } {
  const { transactions } = doing.world.lists
  const number = findNumber(transactions, id, 'transactionId')
  const record = parseExactly(transactions.text(number)) as JsonRecord
  if (record['transType'] !== 'Sale')
    throw invalid('transType', 'Only sales are voided, refunded or paid otherwise')
  return {
    number,
    record,
    status: move(TRANSACTION_MOVES, step, 'status', String(record['status'])),
  }
}

const itemsOf = (record: JsonRecord): JsonRecord[] => recordsOf(recordOf(record['cart'])['items'])
const portionsOf = (items: readonly JsonRecord[]): Portion[] =>
  items.flatMap(item =>
    recordsOf(item['quantityLogs']).map(log => ({
      batchId: String(log['batchId']),
      inventoryId: String(log['inventoryId']),
      amount: readQuantity(log['quantity']) ?? 0,
    })),
  )

/**
 * Voided after completion: Canceled, the goods back on their shelves, the points taken back as far
 * as they are there.
 */
export function voidTransaction(doing: Doing, id: string): string {
  const { lists, stock } = doing.world
  const { number, record, status } = completed(doing, id, 'void')
  stock.put(portionsOf(itemsOf(record)), doing.nowMs)
  const memberId = textOf(record['memberId'])
  const has =
    memberId === undefined ? 0 : (cents(lists.members.get(memberId)?.['loyaltyPoints']) ?? 0)
  if (memberId !== undefined)
    addPoints(doing, memberId, -Math.min(has, cents(record['pointsEarned']) ?? 0), 'Adjust', {
      note: 'Void',
      transactionId: id,
    })
  lists.transactions.edit(
    number,
    { status, active: false, canceledTime: doing.nowMs, updated: true },
    doing.nowMs,
  )
  emit(doing, 'CANCEL_TRANSACTION', lists.transactions, id)
  return id
}

/** Paid otherwise than was typed in: corrected after the fact, the amounts stay. */
export function editPayment(doing: Doing, id: string, paymentOption: unknown): string {
  const { transactions } = doing.world.lists
  const { number, record } = completed(doing, id, 'editPayment')
  if (textOf(paymentOption) === undefined)
    throw invalid('paymentOption', 'paymentOption is required')
  const option = readChoice(
    paymentOption,
    'paymentOption',
    PAYMENT_OPTIONS.filter(one => one !== 'Split'),
    'Cash',
  )
  const payments = recordsOf(record['payments']).map(row => ({
    ...row,
    paymentOption: option,
    storageLocation: option === 'Cash' ? 'CashDrawer' : 'CashVault',
  }))
  transactions.edit(
    number,
    { payments, cart: { ...recordOf(record['cart']), paymentOption: option }, updated: true },
    doing.nowMs,
  )
  emit(doing, 'UPDATE_TRANSACTION', transactions, id)
  return id
}

/**
 * Which lines come back (by `orderItemId`; without any, all of them), whether the goods do, and how
 * refunds are signed.
 */
export interface Refund {
  orderItemIds: readonly string[] | undefined
  restock: boolean
  sign: 1 | -1
}

/**
 * A transaction of its own, of today, with the lines as they were sold: prices, discounts and taxes
 * go back as they came. Returns its id.
 */
export function refundTransaction(
  doing: Doing,
  id: string,
  { orderItemIds, restock, sign }: Refund,
): string {
  const { nowMs, world } = doing
  const { transactions } = world.lists
  const { record } = completed(doing, id, 'refund')
  const cart = recordOf(record['cart'])
  const percentOff =
    cart['discountType'] === 'Percentage' ? (cents(cart['discount']) ?? 0) / 100 : 0
  const all = itemsOf(record).map(item => ({ ...soldLine(item), item }))
  const whole = all.reduce((sum, line) => sum + line.cost - line.discount, 0)
  spreadCartDiscount(
    all,
    percentOff,
    (cents(cart['calcCartDiscount']) ?? 0) - Math.round((whole * percentOff) / 100),
  )
  const lines = all.filter(
    ({ item }) => orderItemIds?.includes(String(item['orderItemId'])) ?? true,
  )
  if (lines.length === 0)
    throw invalid('orderItemIds', 'No line of this transaction is among orderItemIds')
  const money = sumUp(lines, percentOff, {
    deliveryFee: 0,
    cardFee: 0,
    step: world.shop.cashStep,
    loyalty: 0,
  })
  const signed = (amount: number): object => decimal(amount === 0 ? 0 : sign * amount)
  const postTax = money.city + money.excise + money.state + money.county
  const refundId = transactions.idOf(transactions.nextNumber)
  if (restock) world.stock.put(portionsOf(lines.map(({ item }) => item)), nowMs)
  const { id: _, created: __, modified: ___, consumerCartId: ____, memo: _____, ...sale } = record
  transactions.insert(
    {
      ...sale,
      id: refundId,
      transNo: String(100_001 + transactions.nextNumber),
      transType: 'Refund',
      status: 'Completed',
      active: false,
      deleted: false,
      parentTransactionId: id,
      ...Object.fromEntries(
        ['checkinTime', 'startTime', 'processedTime', 'completedTime', 'endTime'].map(field => [
          field,
          nowMs,
        ]),
      ),
      pointsEarned: decimal(0),
      payments: [
        {
          id: `${refundId}p0`,
          line: 1,
          paymentOption: 'Cash',
          paidAmount: signed(money.total),
          paymentReceived: signed(money.total),
          changeDue: decimal(0),
          cashBack: decimal(0),
          blazeTip: decimal(0),
          blazeFee: decimal(0),
          blazeTotalCharged: signed(money.total),
          paidTime: nowMs,
          storageLocation: 'CashDrawer',
        },
      ],
      cart: {
        ...cart,
        items: lines.map(({ item }, at) => ({
          ...negated(item, ITEM_MONEY, sign),
          orderItemId: `${refundId}${at}`,
          taxResult: negated(recordOf(item['taxResult']), undefined, sign),
          quantityLogs: restock
            ? recordsOf(item['quantityLogs']).map(log => ({
                ...log,
                quantity: quantity(sign * (readQuantity(log['quantity']) ?? 0)),
              }))
            : [],
        })),
        subTotal: signed(money.subTotal),
        calcCartDiscount: signed(money.cartDiscount),
        subTotalDiscount: signed(money.subTotal - money.cartDiscount),
        totalDiscount: signed(money.lineDiscount + money.cartDiscount),
        ...Object.fromEntries(
          [
            'afterTaxDiscount',
            'appliedAfterTaxDiscount',
            'pointSpent',
            'deliveryFee',
            'creditCardFee',
            'balanceDue',
            'changeDue',
          ].map(field => [field, decimal(0)]),
        ),
        tax: signed(postTax),
        taxResult: sumTaxes(
          recordOf(cart['taxResult']),
          lines.map(({ item }) => recordOf(item['taxResult'])),
          sign,
        ),
        totalPreCalcTax: signed(money.statePre),
        totalCalcTax: signed(postTax),
        totalExciseTax: signed(money.excise),
        enableDeliveryFee: false,
        enableCreditCardFee: false,
        roundAmt: signed(money.rounding),
        total: signed(money.total),
        cashReceived: signed(money.total),
        refundAmount: signed(money.total),
        refundOption: restock ? 'WithInventory' : 'WithoutInventory',
        paymentOption: 'Cash',
      },
    },
    nowMs,
  )
  emit(doing, 'CREATE_TRANSACTION', transactions, refundId)
  emit(doing, 'COMPLETE_TRANSACTION', transactions, refundId)
  return refundId
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

/** The cart's breakdown, of these lines; they leave out what is zero. */
function sumTaxes(whole: JsonRecord, taxes: readonly JsonRecord[], sign: 1 | -1): JsonRecord {
  return Object.fromEntries(
    Object.keys(whole).map(field => [
      field,
      decimal(sign * taxes.reduce((sum, tax) => sum + (cents(tax[field]) ?? 0), 0) || 0),
    ]),
  )
}

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
