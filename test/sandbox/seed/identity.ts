import { expect } from 'vitest'
import { share } from '../../../sandbox/values/money.ts'
import type { Row } from '../asking.ts'

/** Decimals of two digits as whole cents; anything else would be a fault of its own. */
export function cents(value: unknown): number {
  const exact = Math.round((value as number) * 100)
  expect(Math.abs((value as number) * 100 - exact)).toBeLessThan(1e-6)
  return exact
}

export const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((all, row) => all + cents(row[field]), 0)
const TAXES = [
  'totalPreCalcTax',
  'totalPostCalcTax',
  'totalCityTax',
  'totalCountyTax',
  'totalStateTax',
  'totalExciseTax',
] as const

/**
 * The accounting identity of one transaction, to the cent, header against lines against payments.
 */
export function checkMoney(transaction: Row): void {
  const cart = transaction['cart'] as Row & { items: Row[]; taxResult: Row }
  const payments = transaction['payments'] as Row[]
  const { items, taxResult } = cart
  const retail = sum(items, 'cost')
  const preTax = cents(cart['totalPreCalcTax'])
  const gross = retail - preTax
  const net =
    gross +
    cents(cart['deliveryFee']) +
    cents(cart['creditCardFee']) -
    sum(items, 'calcDiscount') -
    cents(cart['calcCartDiscount'])
  const due =
    net +
    preTax +
    cents(cart['totalCalcTax']) -
    cents(cart['appliedAfterTaxDiscount']) +
    cents(cart['roundAmt'])
  expect(cents(cart['total'])).toBe(due)

  expect(cents(cart['subTotal'])).toBe(sum(items, 'finalPrice'))
  expect(cents(cart['subTotalDiscount'])).toBe(
    cents(cart['subTotal']) - cents(cart['calcCartDiscount']),
  )
  expect(cents(cart['totalDiscount'])).toBe(
    sum(items, 'calcDiscount') + cents(cart['calcCartDiscount']),
  )
  expect(cents(cart['tax'])).toBe(cents(cart['totalCalcTax']))
  expect(cents(cart['totalCalcTax'])).toBe(sum(items, 'calcTax'))
  expect(
    cents(taxResult['totalCityTax']) +
      cents(taxResult['totalCountyTax']) +
      cents(taxResult['totalStateTax']) +
      cents(taxResult['totalFedTax']) +
      cents(taxResult['totalExciseTax']),
  ).toBe(cents(taxResult['totalPostCalcTax']))
  for (const tax of TAXES)
    expect(cents(taxResult[tax])).toBe(
      sum(
        items.map(item => item['taxResult'] as Row),
        tax,
      ),
    )
  for (const item of items) {
    const quantity = cents(item['quantity'])
    expect(cents(item['cost'])).toBe(share(quantity * cents(item['unitPrice']), 100))
    expect(cents(item['finalPrice'])).toBe(cents(item['cost']) - cents(item['calcDiscount']))
    const lots = item['quantityLogs'] as Row[]
    if (lots.length > 0) expect(sum(lots, 'quantity')).toBe(quantity)
  }
  if (transaction['status'] !== 'Hold')
    expect(sum(payments, 'paidAmount')).toBe(cents(cart['total']))
  expect(sum(payments, 'blazeFee')).toBe(
    transaction['status'] === 'Hold' ? 0 : cents(cart['creditCardFee']),
  )
  for (const row of payments)
    expect(cents(row['paymentReceived'])).toBe(
      cents(row['paidAmount']) +
        cents(row['blazeTip']) +
        cents(row['changeDue']) +
        cents(row['cashBack']),
    )
}
