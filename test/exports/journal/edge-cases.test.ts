import { describe, expect, it } from 'vitest'
import { sidesOf } from '../../../exports/journal/entry.ts'
import { wireOf } from '../sales/worked-example.ts'
import { item, journalOf, onAccounts, paid, simple } from './a-sale.ts'
import type { Wire } from './a-sale.ts'

describe('money', () => {
  it.each<[string, Wire[], Wire, Record<string, string>]>([
    [
      'a split tender with tip, change and cash back',
      [
        paid('Debit', 12, { blazeTip: 2, cashBack: 5 }),
        paid('Cash', 8, { paymentReceived: 20, changeDue: 12 }),
      ],
      {},
      // 12 + 2 + 5 were charged, 8 came into the drawer and 5 went out of it.
      { '1010': '3.00', '1050': '19.00', '2300': '-2.00', '4010': '-20.00' },
    ],
    [
      'a cashless ATM that charges 48.50, gives 1.50 back and takes a fee of 3.50',
      [paid('CashlessATM', 47, { cashBack: 1.5, blazeFee: 3.5, blazeTotalCharged: 48.5 })],
      { items: [item('P-GUM', 43.5)], subTotal: 43.5, creditCardFee: 3.5, total: 47 },
      { '1010': '-1.50', '1060': '48.50', '4010': '-43.50', '4110': '-3.50' },
    ],
    [
      'a gift card that is redeemed: less is owed',
      [paid('GiftCard', 20)],
      {},
      { '2400': '20.00', '4010': '-20.00' },
    ],
    [
      'store credit that is used',
      [paid('StoreCredit', 20)],
      {},
      { '2410': '20.00', '4010': '-20.00' },
    ],
    [
      'ACH and a check',
      [paid('ACH', 15), paid('Check', 5)],
      {},
      { '1070': '5.00', '1080': '15.00', '4010': '-20.00' },
    ],
    [
      'a gift card that is sold: a liability, no revenue',
      [paid('Cash', 70)],
      {
        items: [item('P-GUM', 20), item('P-CARD', 50, { quantityLogs: [] })],
        subTotal: 70,
        total: 70,
      },
      { '1010': '70.00', '2400': '-50.00', '4010': '-20.00' },
    ],
    [
      'loyalty, a discount after taxes and no tender',
      [paid('Cash', 15)],
      { appliedAfterTaxDiscount: 5, pointSpent: 100, total: 15 },
      { '1010': '15.00', '4010': '-20.00', '4085': '5.00' },
    ],
    [
      'cash rounded up',
      [paid('Cash', 20.02)],
      { roundAmt: 0.02, total: 20.02 },
      { '1010': '20.02', '4010': '-20.00', '4950': '-0.02' },
    ],
    [
      'cash rounded down',
      [paid('Cash', 19.98)],
      { roundAmt: -0.02, total: 19.98 },
      { '1010': '19.98', '4010': '-20.00', '4950': '0.02' },
    ],
    [
      'a tax of 6.975: half a cent goes up',
      [paid('Cash', 53.48)],
      {
        items: [item('P-GUM', 46.5)],
        subTotal: 46.5,
        totalCalcTax: 6.975,
        taxResult: { totalExciseTax: 6.975 },
        total: 53.48,
      },
      { '1010': '53.48', '2220': '-6.98', '4010': '-46.50' },
    ],
    [
      'a tax of 6.965 that the till rounded to the even cent',
      [paid('Cash', 53.46)],
      {
        items: [item('P-GUM', 46.5)],
        subTotal: 46.5,
        totalCalcTax: 6.965,
        taxResult: { totalExciseTax: 6.965 },
        total: 53.46,
      },
      { '1010': '53.46', '2220': '-6.96', '4010': '-46.50' },
    ],
    [
      'taxes inside the prices of a line and of its delivery: goods are sold for what is left',
      [paid('Cash', 25)],
      {
        items: [item('P-GUM', 20, { calcPreTax: 2 })],
        deliveryFee: 5,
        totalPreCalcTax: 2.5,
        taxResult: { totalCityPreTax: 2, totalDeliveryFeePreTax: 0.5 },
        total: 25,
      },
      { '1010': '25.00', '2210': '-2.00', '2230': '-0.50', '4010': '-17.50', '4100': '-5.00' },
    ],
    [
      'the same where no line says what is inside its price',
      [paid('Cash', 25)],
      {
        deliveryFee: 5,
        totalPreCalcTax: 2.5,
        taxResult: { totalCityPreTax: 2, totalDeliveryFeePreTax: 0.5 },
        total: 25,
      },
      { '1010': '25.00', '2210': '-2.00', '2230': '-0.50', '4010': '-17.50', '4100': '-5.00' },
    ],
    ['something for nothing', [], { items: [item('P-GUM', 0)], subTotal: 0, total: 0 }, {}],
    [
      'everything taken off',
      [],
      { items: [item('P-GUM', 20, { calcDiscount: 20 })], subTotal: 0, total: 0 },
      { '4010': '-20.00', '4080': '20.00' },
    ],
    [
      'a patient: no sales tax, and excise all the same',
      [paid('Cash', 23)],
      {
        consumerType: 'MedicinalThirdParty',
        totalCalcTax: 3,
        taxResult: { totalExciseTax: 3 },
        total: 23,
      },
      { '1010': '23.00', '2220': '-3.00', '4020': '-20.00' },
    ],
    [
      'excise of both kinds, and a delivery fee',
      [paid('Credit', 30)],
      {
        deliveryFee: 6,
        totalCalcTax: 4,
        taxResult: { totalExciseTax: 4, totalALExciseTax: 1, totalALPostExciseTax: 1 },
        total: 30,
      },
      { '1055': '30.00', '2220': '-4.00', '4010': '-20.00', '4100': '-6.00' },
    ],
    [
      'an exchange in one transaction: a line back, a line out',
      [paid('Cash', 15)],
      {
        items: [
          item('P-GUM', 35),
          item('P-GUM', -20, { quantity: -1, quantityLogs: [{ batchId: 'B-GUM', quantity: -1 }] }),
        ],
        subTotal: 15,
        total: 15,
      },
      { '1010': '15.00', '4010': '-35.00', '4090': '20.00' },
    ],
    [
      'goods without cannabis',
      [paid('Cash', 20)],
      { items: [item('P-PIPE', 20, { quantityLogs: [{ batchId: 'B-PIPE', quantity: 1 }] })] },
      { '1010': '20.00', '4030': '-20.00', '5010': '3.10', '1300': '-3.10' },
    ],
    [
      'taxes in the price that only the header knows',
      [paid('Cash', 20)],
      { totalPreCalcTax: 1.4, taxResult: { totalStatePreTax: 1.4 } },
      { '1010': '20.00', '2230': '-1.40', '4010': '-18.60' },
    ],
  ])('books %s', (_, payments, cart, expected) => {
    const { lines, held, exceptions } = journalOf([simple(payments, cart)])
    expect({ held, exceptions }).toEqual({ held: false, exceptions: [] })
    const stock =
      '1300' in expected || lines.length === 0 ? {} : { '1300': undefined, '5010': undefined }
    expect({ ...onAccounts(lines), ...stock }).toEqual({ ...expected, ...stock })
    expect(sidesOf(lines).debit).toBe(sidesOf(lines).credit)
  })
})

describe('the life of a transaction', () => {
  const back = (restocked: boolean, payments: readonly Wire[]): Wire =>
    wireOf(
      'R',
      { transType: 'Refund', parentTransactionId: 'S', payments },
      {
        items: [
          item('P-GUM', 20, { quantityLogs: restocked ? [{ batchId: 'B-GUM', quantity: 1 }] : [] }),
        ],
        subTotal: 20,
        total: 20,
      },
    )

  it('gives a refund back in another tender than its sale', () => {
    expect(
      onAccounts(journalOf([simple([paid('Debit', 20)]), back(true, [paid('Cash', 20)])]).lines),
    ).toEqual({ '1010': '-20.00', '1050': '20.00', '4010': '-20.00', '4090': '20.00' })
  })

  it('leaves the cost of goods where a refund was not put back on the shelf', () => {
    expect(
      onAccounts(journalOf([simple([paid('Cash', 20)]), back(false, [paid('Cash', 20)])]).lines),
    ).toEqual({
      '1010': '0.00',
      '1300': '-8.00',
      '4010': '-20.00',
      '4090': '20.00',
      '5010': '8.00',
    })
  })

  it.each(['Void', 'Canceled', 'Hold', 'InProgress', 'Queued'])('does not book %s', status => {
    expect(journalOf([simple([paid('Cash', 20)], {}, { status })])).toMatchObject({
      lines: [],
      exceptions: [],
      held: false,
    })
  })

  it.each([{ transType: 'Transfer' }, { transType: 'Reconciliation' }, { deleted: true }])(
    'does not book %o',
    changes => {
      expect(journalOf([simple([paid('Cash', 20)], {}, changes)])).toMatchObject({
        lines: [],
        exceptions: [],
        held: false,
      })
    },
  )
})

describe('taxes in prices that were rounded line by line', () => {
  const rounded = (header: number): Wire =>
    simple([paid('Cash', 20)], {
      items: [
        item('P-GUM', 10, { calcPreTax: 0.92 }),
        item('P-GUM', 7, { calcPreTax: 0.64 }),
        item('P-GUM', 3, { calcPreTax: 0.28 }),
      ],
      totalPreCalcTax: header,
      taxResult: { totalStatePreTax: header },
    })

  it.each([
    [1.85, '-1.85', '-18.15'],
    [1.84, '-1.84', '-18.16'],
    [1.82, '-1.82', '-18.18'],
  ])('are owed as the header has them: %d', (header, owed, sold) => {
    const { lines, held, exceptions } = journalOf([rounded(header)])
    expect({ held, exceptions }).toEqual({ held: false, exceptions: [] })
    expect(onAccounts(lines)).toMatchObject({ '1010': '20.00', '2230': owed, '4010': sold })
  })

  it('are no rounding where more than half a cent a line is between', () => {
    expect(journalOf([rounded(1.89)])).toMatchObject({
      held: true,
      exceptions: [{ code: 'UNBALANCED', detail: expect.stringContaining('0.05') as string }],
    })
  })

  it('go back with a return', () => {
    const wire = simple(
      [paid('Cash', 20)],
      {
        items: [item('P-GUM', 10, { calcPreTax: 0.92 }), item('P-GUM', 10, { calcPreTax: 0.92 })],
        totalPreCalcTax: 1.85,
        taxResult: { totalStatePreTax: 1.85 },
      },
      { transType: 'Refund' },
    )
    const { lines, held } = journalOf([wire])
    expect(held).toBe(false)
    expect(onAccounts(lines)).toMatchObject({ '1010': '-20.00', '2230': '1.85', '4090': '18.15' })
  })
})
