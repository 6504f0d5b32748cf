import { invalid, notFound } from '../http/api-error.ts'
import type { Collection, JsonRecord } from '../model/collection.ts'
import type { PaymentOption } from '../seed/payments.ts'
import { readAmount, readChoice, recordsOf, textOf } from './values.ts'

export const PAYMENT_OPTIONS: readonly PaymentOption[] = [
  'Cash',
  'Debit',
  'Credit',
  'CashlessATM',
  'Check',
  'StoreCredit',
  'GiftCard',
  'Split',
]
export const CONSUMER_TYPES = [
  'AdultUse',
  'MedicinalState',
  'MedicinalThirdParty',
  'Other',
] as const

/** Percent and cents off, of which one is 0. */
export interface AskedDiscount {
  percentOff: number
  amountOff: number
}

/** One line that somebody wants. Quantity is hundredths. */
export interface AskedItem extends AskedDiscount {
  orderItemId: string | undefined
  product: JsonRecord
  batchId: string | undefined
  quantity: number
  finalized: boolean
}

/** What somebody wants to buy. Its prices are never part of it: they follow from the products. */
export interface AskedCart extends AskedDiscount {
  items: readonly AskedItem[]
  promoCode: string | undefined
  rewardName: string | undefined
  paymentOption: PaymentOption
  consumerType: (typeof CONSUMER_TYPES)[number] | undefined
}

const MOST_ITEMS = 200

/**
 * Reads `cart` of a request, and of a stored record alike. Reading: `items[{productId, quantity}]`;
 * what else counts is discounts, `promoCode`, `paymentOption`.
 */
export function readCart(cart: JsonRecord, products: Collection, rewardName?: string): AskedCart {
  const items = cart['items'] ?? []
  if (!Array.isArray(items)) throw invalid('items', 'items must be a list')
  if (items.length > MOST_ITEMS) throw invalid('items', `A cart holds at most ${MOST_ITEMS} items`)
  const consumerType = textOf(cart['consumerType'])
  return {
    items: recordsOf(items).map(item => readItem(item, products)),
    ...readDiscount(cart),
    promoCode: textOf(cart['promoCode']),
    rewardName: textOf(cart['rewardName']) ?? rewardName,
    paymentOption:
      textOf(cart['paymentOption']) === 'None'
        ? 'Cash'
        : readChoice(cart['paymentOption'], 'paymentOption', PAYMENT_OPTIONS, 'Cash'),
    consumerType:
      consumerType === undefined
        ? undefined
        : readChoice(consumerType, 'consumerType', CONSUMER_TYPES, 'AdultUse'),
  }
}

export function readItem(item: JsonRecord, products: Collection): AskedItem {
  const productId = textOf(item['productId'])
  if (productId === undefined) throw invalid('productId', 'productId is required')
  const product = products.get(productId)
  if (product === undefined || product['deleted'] === true)
    throw notFound('productId', 'There is no such product')
  if (product['active'] === false || product['sellable'] === false)
    throw invalid('productId', 'This product is not sold')
  const quantity = readAmount(item['quantity'], 'quantity', 100)
  if (quantity === 0) throw invalid('quantity', 'quantity must be at least 0.01')
  return {
    orderItemId: textOf(item['orderItemId']),
    product,
    batchId: textOf(item['batchId']),
    quantity,
    ...readDiscount(item),
    finalized: item['finalized'] === true,
  }
}

/** `discount` is percent unless `discountType` says that it is money. */
function readDiscount(holder: JsonRecord): AskedDiscount {
  const discount = readAmount(holder['discount'], 'discount')
  const type = readChoice(
    holder['discountType'],
    'discountType',
    ['Percentage', 'Cash', 'Amount'],
    'Percentage',
  )
  if (type !== 'Percentage') return { percentOff: 0, amountOff: discount }
  if (discount > 10_000) throw invalid('discount', 'discount must be at most 100 percent')
  return { percentOff: discount / 100, amountOff: 0 }
}
