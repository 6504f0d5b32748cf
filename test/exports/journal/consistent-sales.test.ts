import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildJournal } from '../../../exports/journal/build-journal.ts'
import { addUp, sidesOf } from '../../../exports/journal/entry.ts'
import type { JournalLine } from '../../../exports/journal/entry.ts'
import { amountText, sum } from '../../../money/amount.ts'
import { wireOf } from '../sales/worked-example.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'
import { onAccounts, read } from './a-sale.ts'

describe('any sales that are consistent', () => {
  const cents = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })
  const anItem = fc
    .record({
      product: fc.constantFrom('P-GUM', 'P-FLW', 'P-PIPE'),
      cost: cents(10_000),
      discount: cents(500),
      lots: fc.integer({ min: 1, max: 3 }),
    })
    .map(one => ({ ...one, discount: Math.min(one.discount, one.cost) }))
  const aSale = fc
    .record({
      items: fc.array(anItem, { minLength: 1, maxLength: 4 }),
      refund: fc.boolean(),
      medical: fc.boolean(),
      positive: fc.boolean(),
      cartDiscount: cents(300),
      loyalty: cents(300),
      delivery: cents(900),
      fee: cents(400),
      rounding: fc.integer({ min: -4, max: 4 }),
      taxes: fc.record({
        totalCityTax: cents(900),
        totalExciseTax: cents(900),
        totalStateTax: cents(900),
        totalCountyTax: cents(300),
        totalFedTax: cents(10),
      }),
      cashPart: cents(100),
      tip: cents(500),
      change: cents(2000),
      cashBack: cents(500),
      tender: fc.constantFrom('Debit', 'CashlessATM', 'Credit', 'GiftCard', 'Check', 'ACH'),
    })
    .map((sale, index = 0) => {
      const sign = sale.refund && !sale.positive ? -1 : 1
      const money = (amount: number): number => (sign * amount) / 100
      const of = (pick: (one: (typeof sale.items)[number]) => number): number =>
        sale.items.reduce((total, one) => total + pick(one), 0)
      const tax = Object.values(sale.taxes).reduce((a, b) => a + b)
      const exact =
        of(({ cost }) => cost) -
        of(({ discount }) => discount) -
        sale.cartDiscount +
        sale.delivery +
        sale.fee +
        tax -
        sale.loyalty
      // Of a few cents a rounding may leave nothing, as of a penny that is given back in cash.
      const rounding = Math.abs(exact) <= 4 ? -exact : sale.rounding
      const total = exact + rounding
      const cash = Math.floor((Math.abs(total) * sale.cashPart) / 100) * Math.sign(total)
      return {
        wanted: total > 0 || (total === 0 && exact > 0),
        wire: wireOf(
          `P${index}`,
          {
            transType: sale.refund ? 'Refund' : 'Sale',
            payments: [
              { paymentOption: 'Cash', paidAmount: money(cash), changeDue: money(sale.change) },
              {
                paymentOption: sale.tender,
                paidAmount: money(total - cash),
                blazeTip: money(sale.tip),
                cashBack: money(sale.cashBack),
              },
            ],
          },
          {
            consumerType: sale.medical ? 'MedicinalState' : 'AdultUse',
            items: sale.items.map(({ product, cost, discount, lots }) => ({
              productId: product,
              quantity: sign * lots,
              cost: money(cost),
              calcDiscount: money(discount),
              quantityLogs: Array.from({ length: lots }, () => ({
                batchId: 'B-BULK',
                quantity: sign,
              })),
            })),
            subTotal: money(of(({ cost, discount }) => cost - discount)),
            calcCartDiscount: money(sale.cartDiscount),
            appliedAfterTaxDiscount: money(sale.loyalty),
            deliveryFee: money(sale.delivery),
            creditCardFee: money(sale.fee),
            roundAmt: money(rounding),
            totalCalcTax: money(tax),
            taxResult: Object.fromEntries(
              Object.entries(sale.taxes).map(([name, amount]) => [name, money(amount)]),
            ),
            total: money(total),
          },
        ),
      }
    })
    .filter(({ wanted }) => wanted)
    .map(({ wire }) => read(wire))

  it('balance to the cent, are the sum of their parts in any split and order, and their figures add up', () => {
    fc.assert(
      fc.property(
        fc.array(aSale, { maxLength: 12 }),
        fc.nat(),
        fc.func(fc.nat()),
        (sales, cut, shuffle) => {
          const whole = buildJournal({ sales, settings: DEFAULT_ACCOUNTING })
          expect(whole.exceptions).toEqual([])
          expect(whole.held).toBe(false)
          expect(sidesOf(whole.lines).debit).toBe(sidesOf(whole.lines).credit)
          const shuffled = sales
            .map((sale, index) => ({ sale, key: shuffle(index) }))
            .sort((a, b) => a.key - b.key)
            .map(({ sale }) => sale)
          expect(buildJournal({ sales: shuffled, settings: DEFAULT_ACCOUNTING }).lines).toEqual(
            whole.lines,
          )
          const at = cut % (sales.length + 1)
          const parts = [shuffled.slice(0, at), shuffled.slice(at)].flatMap(
            part => buildJournal({ sales: part, settings: DEFAULT_ACCOUNTING }).lines,
          )
          // A part that adds up to nothing is no line, and then not counted either: amounts are
          // what must be the same.
          const amounts = (lines: readonly JournalLine[]) =>
            lines.map(line => ({ ...line, transactions: 0 }))
          expect(amounts(addUp(parts))).toEqual(amounts(whole.lines))
          const { total_due: due, ...figures } = Object.fromEntries(whole.figures)
          const added = Object.entries(figures).filter(([name]) => !/^tips$|^tender:/.test(name))
          expect(sum(added.map(([, amount]) => amount))).toBe(due ?? 0n)
          const on = onAccounts(whole.lines)
          expect(on['2300'] ?? '0.00').toBe(amountText(-sum(sales.map(({ tip }) => tip))))
          const tendered = whole.lines
            .filter(({ metric }) => metric === 'tender')
            .map(({ amount }) => amount)
          expect(sum(tendered)).toBe(sum(sales.map(({ totalDue, tip }) => totalDue + tip)))
        },
      ),
      { numRuns: process.env['TILLAGE_LONG'] === '1' ? 5000 : 150 },
    )
  })
})
