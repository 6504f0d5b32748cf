/** Purchase orders: what they cost, and along which states they go. Money is whole cents inside. */
import { DAY_MS } from '../../calendar/days.ts'
import type { PURCHASE_ORDER_STATUSES } from '../../connectors/partner/contract/resources/purchase-order.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { textOf } from '../model/records.ts'
import { isTime } from '../values/calendar.ts'
import { decimal, readNumber } from '../values/money.ts'
import { quantity, readQuantity } from '../values/quantity.ts'

export type OrderStatus = (typeof PURCHASE_ORDER_STATUSES)[number]

/**
 * The moves are not shown. Reading: one step at a time; back to work from approval; stopped at any
 * time before the goods are there.
 */
export const ORDER_MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  InProgress: ['RequiredApproval', 'Cancel'],
  RequiredApproval: ['Approved', 'InProgress', 'Decline', 'Cancel'],
  Approved: ['WaitingShipment', 'Cancel'],
  WaitingShipment: ['ReceivingShipment', 'Cancel'],
  ReceivingShipment: ['ReceivedShipment'],
  ReceivedShipment: ['Closed'],
  Closed: [],
  Cancel: [],
  Decline: [],
}

export function checkOrderMove(from: OrderStatus, to: OrderStatus): void {
  if (from === to || ORDER_MOVES[from].includes(to)) return
  const next = ORDER_MOVES[from]
  throw invalid(
    'purchaseOrderStatus',
    `A purchase order that is ${from} cannot become ${to}; ` +
      (next.length === 0 ? 'it stays so' : `valid are ${next.join(', ')}`),
  )
}

/** The time that a move writes on the order, besides its state. */
export const ORDER_STAMPS: Readonly<Partial<Record<OrderStatus, string>>> = {
  RequiredApproval: 'submitForApprovalDate',
  Approved: 'approvedDate',
  ReceivedShipment: 'receivedDate',
  Closed: 'completedDate',
  Decline: 'declineDate',
}

const cents = (value: unknown): number => Math.round((readNumber(value) ?? 0) * 100)

/**
 * A line with its costs. Reading: the unit price counts, else the line's total cost, else what the
 * product is bought for.
 */
export function priceLine(line: JsonRecord, product: JsonRecord, where: string): JsonRecord {
  const amount = readRequested(line, where)
  const totalCost = lineCost(line, product, amount)
  const discount = Math.min(cents(line['discount']), totalCost)
  const category = product['category'] as JsonRecord | undefined
  return {
    categoryId: product['categoryId'],
    categoryName: category?.['name'],
    requestStatus: 'PENDING',
    exciseTax: decimal(0),
    totalExciseTax: decimal(0),
    totalCultivationTax: decimal(0),
    trackingPackagesList: [],
    batches: [],
    batchAddDetails: [],
    ...line,
    productId: product['id'],
    productName: product['name'],
    requestQuantity: quantity(amount),
    receivedQuantity: quantity(readQuantity(line['receivedQuantity']) ?? 0),
    unitPrice: decimal(knownCents(line, 'unitPrice') ?? Math.round((totalCost * 10_000) / amount)),
    totalCost: decimal(totalCost),
    discount: decimal(discount),
    finalTotalCost: decimal(totalCost - discount),
  }
}

/** The ordered quantity; refused where it, or an amount of the line, is not possible. */
function readRequested(line: JsonRecord, where: string): number {
  const amount = readQuantity(line['requestQuantity'])
  if (amount === undefined || amount <= 0)
    throw invalid(`${where}.requestQuantity`, 'requestQuantity must be more than 0')
  for (const field of ['totalCost', 'unitPrice', 'discount', 'receivedQuantity'])
    if ((readNumber(line[field]) ?? 0) < 0)
      throw invalid(`${where}.${field}`, `${field} must not be negative`)
  return amount
}

function lineCost(line: JsonRecord, product: JsonRecord, amount: number): number {
  const unitPrice = knownCents(line, 'unitPrice')
  if (unitPrice !== undefined) return Math.round((unitPrice * amount) / 10_000)
  return (
    knownCents(line, 'totalCost') ?? Math.round((cents(product['purchasePrice']) * amount) / 10_000)
  )
}

const knownCents = (line: JsonRecord, field: string): number | undefined =>
  readNumber(line[field]) === undefined ? undefined : cents(line[field])

/** Reading: grandTotal = totalCost - discounts + fees + deliveryCharge + totalTax + adjustments. */
export function orderTotals(order: JsonRecord, lines: readonly JsonRecord[]): JsonRecord {
  const sum = (field: string): number => lines.reduce((all, line) => all + cents(line[field]), 0)
  const totalCost = sum('totalCost')
  const totalDiscount = sum('discount') + cents(order['discount'])
  const deliveryCharge = order['enableDeliveryCharge'] === true ? cents(order['deliveryCharge']) : 0
  const adjustments = ((order['adjustmentInfoList'] as JsonRecord[] | undefined) ?? []).reduce(
    (all, { negative, amount }) => all + (negative === true ? -1 : 1) * cents(amount),
    0,
  )
  return {
    totalCost: decimal(totalCost),
    discount: decimal(cents(order['discount'])),
    totalDiscount: decimal(totalDiscount),
    fees: decimal(cents(order['fees'])),
    deliveryCharge: decimal(deliveryCharge),
    totalTax: decimal(0),
    totalPreCalcTax: decimal(0),
    totalCalcTax: decimal(0),
    taxResult: {
      totalPreCalcTax: decimal(0),
      totalPostCalcTax: decimal(0),
      totalExciseTax: decimal(0),
    },
    grandTotal: decimal(
      totalCost - totalDiscount + cents(order['fees']) + deliveryCharge + adjustments,
    ),
  }
}

/** When it has to be paid, by its terms. */
export function dueDate(order: JsonRecord, orderedMs: number): number {
  const terms = textOf(order['poPaymentTerms'])
  const customMs = readNumber(order['customTermDate'])
  if (!isTime(orderedMs))
    throw invalid('purchaseOrderDate', 'purchaseOrderDate is not a moment in epoch milliseconds')
  if (terms === 'CUSTOM_DATE' && customMs === undefined)
    throw invalid('customTermDate', 'customTermDate is required with CUSTOM_DATE')
  if (terms === 'CUSTOM_DATE') return customMs!
  const days = terms.startsWith('NET_') ? Number(terms.slice(4)) : 0
  return orderedMs + days * DAY_MS
}
