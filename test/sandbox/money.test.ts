import { describe, expect, it } from 'vitest'
import { share } from '../../sandbox/money.ts'
import type { Row } from './asking.ts'
import { allTransactions, ask, askJson, sandboxWith } from './asking.ts'

/** Decimals of two digits as whole cents; anything else would be a fault of its own. */
function cents(value: unknown): number {
  const exact = Math.round((value as number) * 100)
  expect(Math.abs((value as number) * 100 - exact)).toBeLessThan(1e-6)
  return exact
}

const sum = (rows: readonly Row[], field: string): number => rows.reduce((all, row) => all + cents(row[field]), 0)
const TAXES = ['totalPreCalcTax', 'totalPostCalcTax', 'totalCityTax', 'totalCountyTax', 'totalStateTax', 'totalExciseTax'] as const

function checkMoney(transaction: Row): void {
  const cart = transaction['cart'] as Row & { items: Row[]; taxResult: Row }
  const payments = transaction['payments'] as Row[]
  const { items, taxResult } = cart
  const retail = sum(items, 'cost')
  const preTax = cents(cart['totalPreCalcTax'])
  const gross = retail - preTax
  const net = gross + cents(cart['deliveryFee']) + cents(cart['creditCardFee']) - sum(items, 'calcDiscount') - cents(cart['calcCartDiscount'])
  const due = net + preTax + cents(cart['totalCalcTax']) - cents(cart['appliedAfterTaxDiscount']) + cents(cart['roundAmt'])
  expect(cents(cart['total'])).toBe(due)

  expect(cents(cart['subTotal'])).toBe(sum(items, 'finalPrice'))
  expect(cents(cart['subTotalDiscount'])).toBe(cents(cart['subTotal']) - cents(cart['calcCartDiscount']))
  expect(cents(cart['totalDiscount'])).toBe(sum(items, 'calcDiscount') + cents(cart['calcCartDiscount']))
  expect(cents(cart['tax'])).toBe(cents(cart['totalCalcTax']))
  expect(cents(cart['totalCalcTax'])).toBe(sum(items, 'calcTax'))
  expect(cents(taxResult['totalCityTax']) + cents(taxResult['totalCountyTax']) + cents(taxResult['totalStateTax']) + cents(taxResult['totalFedTax']) + cents(taxResult['totalExciseTax'])).toBe(cents(taxResult['totalPostCalcTax']))
  for (const tax of TAXES) expect(cents(taxResult[tax])).toBe(sum(items.map((item) => item['taxResult'] as Row), tax))
  for (const item of items) {
    const quantity = cents(item['quantity'])
    expect(cents(item['cost'])).toBe(share(quantity * cents(item['unitPrice']), 100))
    expect(cents(item['finalPrice'])).toBe(cents(item['cost']) - cents(item['calcDiscount']))
    const lots = item['quantityLogs'] as Row[]
    if (lots.length > 0) expect(sum(lots, 'quantity')).toBe(quantity)
  }
  if (transaction['status'] !== 'Hold') expect(sum(payments, 'paidAmount')).toBe(cents(cart['total']))
  expect(sum(payments, 'blazeFee')).toBe(transaction['status'] === 'Hold' ? 0 : cents(cart['creditCardFee']))
  for (const row of payments) expect(cents(row['paymentReceived'])).toBe(cents(row['paidAmount']) + cents(row['blazeTip']) + cents(row['changeDue']) + cents(row['cashBack']))
}

describe.each([0, 1, 3])('store %i', (store) => {
  it('obeys the accounting identity to the cent, in every transaction', async () => {
    const sandbox = await sandboxWith({ stores: 4 })
    const transactions = await allTransactions(sandbox, store)
    const carts = transactions.filter((transaction) => transaction['cart'] !== null)
    expect(carts.length).toBeGreaterThan(800)
    for (const transaction of carts) checkMoney(transaction)
    expect(transactions.filter((row) => row['cart'] === null).every((row) => row['transType'] === 'Transfer' || row['transType'] === 'Reconciliation')).toBe(true)
    const options = new Set(carts.map((row) => (row['cart'] as Row)['paymentOption']))
    expect([...options]).toEqual(expect.arrayContaining(['Cash', 'CashlessATM', 'Credit', 'Debit', 'Split']))
  })
})

it('gives back no more than was paid for the returned lines, negative unless the profile says otherwise', async () => {
  const [negative, positive] = await Promise.all([sandboxWith(), sandboxWith({ profiles: ['refunds-positive'] })])
  const refunds = (await allTransactions(negative)).filter((row) => row['transType'] === 'Refund')
  expect(refunds.length).toBeGreaterThan(5)
  for (const refund of refunds) {
    const parent = await askJson<Row>(negative, `/transactions/${refund['parentTransactionId'] as string}`)
    const mirrored = await askJson<Row>(positive, `/transactions/${refund.id}`)
    const total = cents((refund['cart'] as Row)['total'])
    expect(total).toBeLessThanOrEqual(0)
    expect(parent['transType']).toBe('Sale')
    expect(-total).toBeLessThanOrEqual(cents((parent['cart'] as Row)['total']) + cents((parent['cart'] as Row)['afterTaxDiscount']) + 2)
    expect(cents((mirrored['cart'] as Row)['total'])).toBe(-total)
    checkMoney(mirrored)
  }
})

it('writes money with two digits, so that 12.50 does not become 12.5', async () => {
  const sandbox = await sandboxWith()
  const { text } = await ask(sandbox, '/transactions?days=7')
  const tokens = [...text.matchAll(/"(?:subTotal|cost|unitPrice|paidAmount)":(-?[\d.]+)/g)].map((match) => match[1]!)
  expect(tokens.length).toBeGreaterThan(100)
  for (const token of tokens) expect(token).toMatch(/^-?\d+\.\d\d$/)
  expect(tokens.some((token) => token.endsWith('0'))).toBe(true)
})

it('keeps the totals of purchase orders', async () => {
  const sandbox = await sandboxWith()
  const { values } = await askJson<{ values: Row[] }>(sandbox, '/purchaseorders/list')
  for (const order of values) {
    expect(cents(order['totalCost'])).toBe(sum(order['poProductRequestList'] as Row[], 'finalTotalCost'))
    expect(cents(order['grandTotal'])).toBe(cents(order['totalCost']) - cents(order['discount']) + cents(order['fees']) + cents(order['deliveryCharge']) + cents(order['totalTax']))
  }
})
