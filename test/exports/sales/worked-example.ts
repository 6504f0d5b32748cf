import type { CatalogFacts } from '../../../exports/sales/catalog-facts.ts'
import { readProduct } from '../../../exports/sales/catalog-facts.ts'
import { toAmount } from '../../../money/amount.ts'

/**
 * The worked example of the books: two sales and a refund of one store day. Rates: city 10 %,
 * excise 15 % on net + city, state 7.25 % and county 2.5 % on net + city + excise. Its journal adds
 * up to 176.80 on both sides.
 */
export const TIMES = { completed: Date.UTC(2026, 2, 8, 20), modified: Date.UTC(2026, 2, 8, 20, 5) }

type Wire = Record<string, unknown>

/** A transaction as the API writes it; a test changes what it is about. */
export function wireOf(id: string, changes: Wire = {}, cart: Wire = {}): Wire {
  return {
    id,
    transNo: id.replace('T', '10'),
    transType: 'Sale',
    status: 'Completed',
    deleted: false,
    created: TIMES.completed - 60_000,
    modified: TIMES.modified,
    completedTime: TIMES.completed,
    processedTime: TIMES.completed,
    sellerId: 'E1',
    terminalId: 'TERM1',
    payments: [],
    ...changes,
    cart: {
      consumerType: 'AdultUse',
      items: [],
      calcCartDiscount: 0,
      appliedAfterTaxDiscount: 0,
      deliveryFee: 0,
      creditCardFee: 0,
      roundAmt: 0,
      totalPreCalcTax: 0,
      totalCalcTax: 0,
      total: 0,
      ...cart,
    },
  }
}

const flower = {
  orderItemId: 'T1-1',
  productId: 'P-FLW',
  quantity: 1,
  unitPrice: 35,
  cost: 35,
  calcDiscount: 0,
  finalPrice: 35,
  calcTax: 12.24,
  calcPreTax: 0,
  quantityLogs: [{ batchId: 'B-FLW', inventoryId: 'FLOOR', quantity: 1 }],
}
const gummies = (id: string, quantity: number, discount: number): Wire => ({
  orderItemId: id,
  productId: 'P-GUM',
  quantity,
  unitPrice: 20,
  cost: 20 * quantity,
  calcDiscount: discount,
  finalPrice: 20 * quantity - discount,
  calcPreTax: 0,
  quantityLogs: [{ batchId: 'B-GUM', inventoryId: 'FLOOR', quantity }],
})

const taxResult = (city: number, excise: number, state: number, county: number): Wire => ({
  totalPreCalcTax: 0,
  totalCityTax: city,
  totalExciseTax: excise,
  totalStateTax: state,
  totalCountyTax: county,
  totalALExciseTax: excise,
  totalALPostExciseTax: excise,
})
const cash = (paidAmount: number, paymentReceived = paidAmount): Wire => ({
  paymentOption: 'Cash',
  paidAmount,
  paymentReceived,
  changeDue: paymentReceived - paidAmount,
  cashBack: 0,
  blazeTip: 0,
  blazeFee: 0,
})

export const T1 = wireOf(
  'T1',
  { payments: [cash(87.5, 100)] },
  {
    items: [flower, gummies('T1-2', 2, 5)],
    subTotal: 70,
    calcCartDiscount: 7,
    totalDiscount: 12,
    totalCalcTax: 24.47,
    taxResult: taxResult(6.3, 10.4, 5.78, 1.99),
    roundAmt: 0.03,
    total: 87.5,
  },
)

export const T2 = wireOf(
  'T2',
  {
    payments: [
      {
        paymentOption: 'Debit',
        paidAmount: 15.3,
        paymentReceived: 17.3,
        changeDue: 0,
        cashBack: 0,
        blazeTip: 2,
        blazeFee: 0,
      },
      cash(5),
    ],
  },
  {
    consumerType: 'MedicinalState',
    items: [gummies('T2-1', 1, 0)],
    subTotal: 20,
    appliedAfterTaxDiscount: 5,
    pointSpent: 100,
    totalCalcTax: 5.3,
    taxResult: taxResult(2, 3.3, 0, 0),
    total: 20.3,
  },
)

/**
 * As a server writes it that gives refunds positive amounts; `negative` is the same the other way
 * round.
 */
export const T3 = wireOf(
  'T3',
  { transType: 'Refund', parentTransactionId: 'T1', payments: [cash(21.87)] },
  {
    items: [gummies('T3-1', 1, 2.5)],
    subTotal: 17.5,
    calcCartDiscount: 1.75,
    totalDiscount: 4.25,
    totalCalcTax: 6.12,
    taxResult: taxResult(1.58, 2.6, 1.44, 0.5),
    total: 21.87,
    refundAmount: 21.87,
  },
)

/** Every amount and quantity of a record turned round, unit prices aside. */
export function negative(wire: unknown, name = ''): unknown {
  if (typeof wire === 'number')
    return wire === 0 || name === 'unitPrice' || wire > 1e9 ? wire : -wire
  if (Array.isArray(wire)) return wire.map(part => negative(part))
  return typeof wire === 'object' && wire !== null
    ? Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, negative(value, key)]))
    : wire
}

const PRODUCTS = {
  'P-FLW': {
    sku: 'FLW35',
    name: 'Flower 3.5g',
    category: { id: 'C1', name: 'Flower', cannabis: true },
    byGram: false,
  },
  'P-GUM': {
    sku: 'GUM10',
    name: 'Gummies 10pk',
    category: { id: 'C2', name: 'Edible', cannabis: true },
    byGram: false,
  },
  'P-PIPE': {
    sku: 'PIPE',
    name: 'Pipe',
    category: { id: 'C3', name: 'Accessory', cannabis: false },
    byGram: false,
  },
  'P-CARD': {
    sku: 'CARD',
    name: 'Gift card',
    category: { id: 'C4', name: 'Gift cards', cannabis: false, isGiftCard: true },
    byGram: false,
  },
  'P-BULK': {
    sku: 'BULK',
    name: 'Loose flower',
    category: { id: 'C1', name: 'Flower', cannabis: true },
    byGram: true,
  },
} as const
const COSTS: Record<string, string> = {
  'B-FLW': '14.00',
  'B-GUM': '8.00',
  'B-PIPE': '3.10',
  'B-BULK': '4.2175',
}

export const exampleFacts: CatalogFacts = {
  product: id => (id in PRODUCTS ? readProduct(PRODUCTS[id as keyof typeof PRODUCTS]) : undefined),
  batchCost: id => toAmount(COSTS[id]),
}
