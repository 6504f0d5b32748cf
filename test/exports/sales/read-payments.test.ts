import { describe, expect, it } from 'vitest'
import { of, read, shown } from './read-example.ts'
import { wireOf } from './worked-example.ts'

describe('payments', () => {
  const paid = (payments: object[], cart: object = {}, changes: object = {}): string[] =>
    read(wireOf('P', { payments, ...changes }, { total: 45, ...cart })).payments.map(row =>
      [
        row.paymentNo,
        row.tender,
        row.direction,
        ...[row.applied, row.tendered, row.change, row.cashBack, row.tip, row.fee].map(shown),
        row.derived,
      ].join(' '),
    )

  it.each([
    [
      'split, with tip, change and cash back',
      [
        { paymentOption: 'Cash', paidAmount: 20, paymentReceived: 25, changeDue: 5 },
        {
          paymentOption: 'CashlessATM',
          paidAmount: 25,
          paymentReceived: 31.5,
          cashBack: 1.5,
          blazeTip: 5,
          blazeFee: 3.5,
        },
      ],
      {},
      [
        '1 cash in 20.00 25.00 5.00 0.00 0.00 0.00 false',
        '2 cashless_atm in 25.00 31.50 0.00 1.50 5.00 3.50 false',
      ],
    ],
    [
      'without the amount paid',
      [{ paymentOption: 'Debit', paymentReceived: 47, blazeTip: 2 }],
      {},
      ['1 debit in 45.00 47.00 0.00 0.00 2.00 0.00 false'],
    ],
    [
      'by a tender that nobody knows',
      [{ paymentOption: 'Bitcoin', paidAmount: 45 }],
      {},
      ['1 other in 45.00 45.00 0.00 0.00 0.00 0.00 false'],
    ],
    [
      'in amounts by another name',
      [
        { paymentOption: 'Cash', amount: 20 },
        { paymentOption: 'Credit', amount: 25 },
      ],
      {},
      [
        '1 cash in 20.00 20.00 0.00 0.00 0.00 0.00 false',
        '2 credit in 25.00 25.00 0.00 0.00 0.00 0.00 false',
      ],
    ],
    [
      'in rows without an amount that we know, as the cart tells it',
      [{ paymentOption: 'Cash', sum: 45 }],
      { paymentOption: 'Cash', changeDue: 5 },
      ['1 cash in 45.00 50.00 5.00 0.00 0.00 0.00 true'],
    ],
    [
      'told by the cart alone',
      [],
      { paymentOption: 'Cash', changeDue: 5 },
      ['1 cash in 45.00 50.00 5.00 0.00 0.00 0.00 true'],
    ],
    [
      'told by the cart alone, split',
      [],
      { paymentOption: 'Split', splitPayment: { cashAmt: 20, creditDebitAmt: 25, checkAmt: 0 } },
      [
        '1 cash in 20.00 20.00 0.00 0.00 0.00 0.00 true',
        '2 other in 25.00 25.00 0.00 0.00 0.00 0.00 true',
      ],
    ],
  ])('reads a sale that was paid %s', (_, payments, cart, expected) => {
    expect(paid(payments, cart)).toEqual(expected)
  })

  it('takes no payment for money that is marked as deleted, by a flag or a time, and keeps it apart', () => {
    const cash = { paymentOption: 'Cash', paidAmount: 45 }
    const debit = { paymentOption: 'Debit', paidAmount: 45, blazeTip: 2 }
    for (const deleted of [true, 1773000000000]) {
      const payments = [
        { ...debit, deleted },
        { ...cash, deleted: false },
      ]
      expect(paid(payments)).toEqual(['2 cash in 45.00 45.00 0.00 0.00 0.00 0.00 false'])
      const sale = read(wireOf('P', { payments }, { total: 45 }))
      expect(sale.deletedPayments).toEqual([{ paymentNo: 1, applied: of('45') }])
      expect(shown(sale.tip)).toBe('0.00')
    }
  })

  it('reads no payment out of the cart where all that are listed are deleted', () => {
    const payments = [{ paymentOption: 'Cash', paidAmount: 45, deleted: true }]
    expect(paid(payments, { paymentOption: 'Cash' })).toEqual([])
  })

  it('pays a refund out, in another tender than the sale and in either sign', () => {
    for (const sign of [1, -1])
      expect(
        paid(
          [{ paymentOption: 'StoreCredit', paidAmount: 45 * sign, paymentReceived: 45 * sign }],
          {},
          { transType: 'Refund' },
        ),
      ).toEqual(['1 store_credit out -45.00 -45.00 0.00 0.00 0.00 0.00 false'])
  })

  it('knows every tender, and keeps the name of others', () => {
    const tenders = [
      'Cash',
      'Debit',
      'Credit',
      'CashlessATM',
      'ACH',
      'Check',
      'StoreCredit',
      'GiftCard',
      'Shells',
    ].map(
      paymentOption =>
        read(wireOf('P', { payments: [{ paymentOption, paidAmount: 1 }] })).payments[0]!,
    )
    expect(tenders.map(({ tender }) => tender)).toEqual([
      'cash',
      'debit',
      'credit',
      'cashless_atm',
      'ach',
      'check',
      'store_credit',
      'gift_card',
      'other',
    ])
    expect(tenders.at(-1)!.tenderName).toBe('Shells')
  })
})
