import { describe, expect, it } from 'vitest'
import type { Row } from '../asking.ts'
import { allTransactions, ask, askJson, sandboxWith } from '../asking.ts'
import { cents, checkMoney, sum } from './identity.ts'

describe.each([0, 1, 3])('store %i', store => {
  it('obeys the accounting identity to the cent, in every transaction', async () => {
    const sandbox = await sandboxWith({ stores: 4 })
    const transactions = await allTransactions(sandbox, store)
    const carts = transactions.filter(transaction => transaction['cart'] !== null)
    expect(carts.length).toBeGreaterThan(800)
    for (const transaction of carts) checkMoney(transaction)
    expect(
      transactions
        .filter(row => row['cart'] === null)
        .every(row => row['transType'] === 'Transfer' || row['transType'] === 'Reconciliation'),
    ).toBe(true)
    const options = new Set(carts.map(row => (row['cart'] as Row)['paymentOption']))
    expect([...options]).toEqual(
      expect.arrayContaining(['Cash', 'CashlessATM', 'Credit', 'Debit', 'Split']),
    )
  })
})

it('gives back no more than was paid for the returned lines, negative unless the profile says otherwise', async () => {
  const [negative, positive] = await Promise.all([
    sandboxWith(),
    sandboxWith({ profiles: ['refunds-positive'] }),
  ])
  const refunds = (await allTransactions(negative)).filter(row => row['transType'] === 'Refund')
  expect(refunds.length).toBeGreaterThan(5)
  for (const refund of refunds) {
    const parent = await askJson<Row>(
      negative,
      `/transactions/${refund['parentTransactionId'] as string}`,
    )
    const mirrored = await askJson<Row>(positive, `/transactions/${refund.id}`)
    const total = cents((refund['cart'] as Row)['total'])
    expect(total).toBeLessThanOrEqual(0)
    expect(parent['transType']).toBe('Sale')
    expect(-total).toBeLessThanOrEqual(
      cents((parent['cart'] as Row)['total']) +
        cents((parent['cart'] as Row)['afterTaxDiscount']) +
        2,
    )
    expect(cents((mirrored['cart'] as Row)['total'])).toBe(-total)
    checkMoney(mirrored)
  }
})

it('writes money with two digits, so that 12.50 does not become 12.5', async () => {
  const sandbox = await sandboxWith()
  const { text } = await ask(sandbox, '/transactions?days=7')
  const tokens = [...text.matchAll(/"(?:subTotal|cost|unitPrice|paidAmount)":(-?[\d.]+)/g)].map(
    match => match[1]!,
  )
  expect(tokens.length).toBeGreaterThan(100)
  for (const token of tokens) expect(token).toMatch(/^-?\d+\.\d\d$/)
  expect(tokens.some(token => token.endsWith('0'))).toBe(true)
})

it('keeps the totals of purchase orders', async () => {
  const sandbox = await sandboxWith()
  const { values } = await askJson<{ values: Row[] }>(sandbox, '/purchaseorders/list')
  for (const order of values) {
    expect(cents(order['totalCost'])).toBe(
      sum(order['poProductRequestList'] as Row[], 'finalTotalCost'),
    )
    expect(cents(order['grandTotal'])).toBe(
      cents(order['totalCost']) -
        cents(order['discount']) +
        cents(order['fees']) +
        cents(order['deliveryCharge']) +
        cents(order['totalTax']),
    )
  }
})
