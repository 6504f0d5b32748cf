import { describe, expect, it } from 'vitest'
import { buildJournal } from '../../../exports/journal/build-journal.ts'
import { memoOf, sidesOf } from '../../../exports/journal/entry.ts'
import { readSale } from '../../../exports/sales/read-sale.ts'
import { amountText } from '../../../money/amount.ts'
import { exampleFacts, negative, T1, T2, T3, wireOf } from '../sales/worked-example.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'

const journalOf = (...wires: unknown[]) =>
  buildJournal({
    sales: wires.map(wire => readSale(JSON.stringify(wire), exampleFacts)),
    settings: DEFAULT_ACCOUNTING,
  })
const inShort = ({ lines }: ReturnType<typeof journalOf>): string[] =>
  lines
    .map(line => ({ ...line, memo: memoOf(line) }))
    .map(({ account, memo, amount, metric, consumerType, transactions }) => {
      const sides = amount > 0n ? `${amountText(amount)} |` : `| ${amountText(-amount)}`
      const about = `${metric} ${consumerType} ${transactions}`
      return `${account.code} ${memo} | ${sides} | ${about}`.trim()
    })

describe('the journal of the worked example', () => {
  it.each([
    ['positive', T3],
    ['negative', negative(T3)],
  ])(
    'is the one that the specification lists, line by line, with %s refunds on the wire',
    (_, refund) => {
      const journal = journalOf(T1, T2, refund)
      expect(inShort(journal)).toEqual([
        '1010 Cash on hand - sales | 92.50 | | tender  2',
        '1010 Cash on hand - refunds | | 21.87 | tender  1',
        '1050 Debit card clearing - sales | 17.30 | | tender  1',
        '4010 Revenue adult-use | | 75.00 | revenue adult_use 1',
        '4020 Revenue medical | | 20.00 | revenue medicinal_state 1',
        '4090 Returns adult-use | 20.00 | | return adult_use 1',
        '4080 Product+cart discounts | 12.00 | | discount adult_use 1',
        '4080 Product+cart discounts - reversed on return | | 4.25 | discount_reversed adult_use 1',
        '4085 Loyalty (after-tax discount) | 5.00 | | after_tax_discount  1',
        '2210 City cannabis tax payable | | 6.72 | tax  3',
        '2220 Excise tax payable | | 11.10 | tax  3',
        '2230 State sales tax payable | | 4.34 | tax  2',
        '2240 County/district tax payable | | 1.49 | tax  2',
        '2300 Tips payable | | 2.00 | tip  1',
        '4950 Cash rounding | | 0.03 | rounding  1',
        '5010 COGS | 30.00 | | cogs  3',
        '1300 Inventory | | 30.00 | inventory  3',
      ])
      const { debit, credit } = sidesOf(journal.lines)
      expect([amountText(debit), amountText(credit)]).toEqual(['176.80', '176.80'])
      expect(journal).toMatchObject({ held: false, exceptions: [] })
      expect(journal.tieOuts).toContainEqual({
        check: 'tenders',
        expected: '85.93',
        actual: '85.93',
        delta: '0.00',
        status: 'ok',
      })
      expect(journal.tieOuts.map(({ check, status }) => [check, status])).toEqual(
        ['rows', 'total', 'lines', 'pre_taxes', 'post_taxes', 'tenders', 'costs', 'balance'].map(
          check => [check, 'ok'],
        ),
      )
    },
  )

  it('books the published identity, total due 520.00, with the taxes in the price taken out of revenue', () => {
    const journal = journalOf(
      wireOf(
        'I1',
        { payments: [{ paymentOption: 'Cash', paidAmount: 510 }] },
        {
          items: [
            {
              productId: 'P-FLW',
              quantity: 1,
              unitPrice: 500,
              cost: 500,
              calcDiscount: 60,
              calcPreTax: 50,
              quantityLogs: [{ batchId: 'B-FLW', quantity: 1 }],
            },
          ],
          subTotal: 440,
          calcCartDiscount: 40,
          appliedAfterTaxDiscount: 25,
          deliveryFee: 50,
          creditCardFee: 25,
          roundAmt: 10,
          totalPreCalcTax: 50,
          totalCalcTax: 50,
          taxResult: { totalStatePreTax: 50, totalStateTax: 50 },
          total: 510,
        },
      ),
    )
    // Without the adjustment of 10.00, which no field of the wire carries.
    expect(inShort(journal)).toEqual([
      '1010 Cash on hand - sales | 510.00 | | tender  1',
      '4010 Revenue adult-use | | 450.00 | revenue adult_use 1',
      '4080 Product+cart discounts | 100.00 | | discount adult_use 1',
      '4085 Loyalty (after-tax discount) | 25.00 | | after_tax_discount  1',
      '4100 Delivery fees | | 50.00 | delivery_fee  1',
      '4110 Payment fees | | 25.00 | payment_fee  1',
      '2230 State sales tax payable | | 100.00 | tax  1',
      '4950 Cash rounding | | 10.00 | rounding  1',
      '5010 COGS | 14.00 | | cogs  1',
      '1300 Inventory | | 14.00 | inventory  1',
    ])
    const adjusted = buildJournal({
      sales: [
        {
          ...readSale(JSON.stringify(wireOf('I2'))),
          adjustment: 10n * 10n ** 12n,
          totalDue: 10n * 10n ** 12n,
        },
      ],
      settings: DEFAULT_ACCOUNTING,
      suspenseReason: 'nobody paid it',
    })
    expect(inShort(adjusted)).toEqual([
      '4990 Adjustments | | 10.00 | adjustment  1',
      '9999 Suspense - nobody paid it | 10.00 | | suspense  1',
    ])
  })

  it('does not exist where a cent is missing', () => {
    const journal = journalOf({ ...T1, cart: { ...(T1['cart'] as object), total: 87.51 } }, T2)
    expect(journal.held).toBe(true)
    expect(
      journal.exceptions.map(({ severity, code, transactionId, detail }) => [
        severity,
        code,
        transactionId,
        detail,
      ]),
    ).toEqual([
      [
        'error',
        'TIE_OUT',
        'T1',
        'the total is not what its lines, discounts, fees and taxes add up to: 87.50 expected, 87.51 found, 0.01 too much',
      ],
      [
        'error',
        'TIE_OUT',
        'T1',
        'the payments do not settle the total: 87.51 expected, 87.50 found, 0.01 too little',
      ],
    ])
  })
})
