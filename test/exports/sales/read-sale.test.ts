import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSale } from '../../../exports/sales/read-sale.ts'
import type { Sale } from '../../../exports/sales/sale.ts'
import { of, read, shown } from './read-example.ts'
import { negative, T1, T2, T3, wireOf } from './worked-example.ts'

describe('the worked example', () => {
  const HEADERS = [
    'retail',
    'productDiscount',
    'cartDiscount',
    'afterTaxDiscount',
    'postTax',
    'rounding',
    'totalDue',
    'cogs',
    'identityDelta',
  ] as const
  it.each([
    ['a sale', T1, '75.00 5.00 7.00 0.00 24.47 0.03 87.50 30.00 0.00'],
    ['a medical sale with loyalty', T2, '20.00 0.00 0.00 5.00 5.30 0.00 20.30 8.00 0.00'],
    ['a refund, positive on the wire', T3, '-20.00 -2.50 -1.75 0.00 -6.12 0.00 -21.87 -8.00 0.00'],
    [
      'the same refund, negative on the wire',
      negative(T3),
      '-20.00 -2.50 -1.75 0.00 -6.12 0.00 -21.87 -8.00 0.00',
    ],
  ])('reads the header of %s', (_, wire, expected) => {
    const sale = read(wire)
    expect(HEADERS.map(name => shown(sale[name])).join(' ')).toBe(expected)
    expect(sale.excluded).toBeUndefined()
  })

  it('reads a refund of either sign as the same, to the last field', () => {
    expect(read(negative(T3))).toEqual(read(T3))
  })

  it('reads the lines, the discount of the cart split by net', () => {
    expect(
      read(T1).items.map(item => [
        item.sku,
        shown(item.retail),
        shown(item.lineDiscount),
        shown(item.cartDiscount),
        shown(item.net),
        shown(item.unitCost),
        shown(item.cogs),
        item.costSource,
      ]),
    ).toEqual([
      ['FLW35', '35.00', '0.00', '3.50', '31.50', '14.00', '14.00', 'batch'],
      ['GUM10', '40.00', '5.00', '3.50', '31.50', '8.00', '16.00', 'batch'],
    ])
  })

  it('reads payments and taxes', () => {
    const rows = (sale: Sale): unknown[] =>
      sale.payments.map(row =>
        [
          row.tender,
          row.direction,
          ...[row.applied, row.tendered, row.change, row.tip, row.fee].map(shown),
        ].join(' '),
      )
    expect([T1, T2, T3].flatMap(wire => rows(read(wire)))).toEqual([
      'cash in 87.50 100.00 12.50 0.00 0.00',
      'debit in 15.30 17.30 0.00 2.00 0.00',
      'cash in 5.00 5.00 0.00 0.00 0.00',
      'cash out -21.87 -21.87 0.00 0.00 0.00',
    ])
    expect(
      [T1, T2, T3].map(wire =>
        read(wire).taxes.map(tax => `${tax.authority} ${tax.stage} ${shown(tax.amount)}`),
      ),
    ).toEqual([
      ['city post 6.30', 'excise_al post 10.40', 'state post 5.78', 'county post 1.99'],
      ['city post 2.00', 'excise_al post 3.30'],
      ['city post -1.58', 'excise_al post -2.60', 'state post -1.44', 'county post -0.50'],
    ])
  })

  it('holds the published identity: total due 520.00', () => {
    const sale = read(
      wireOf(
        'I',
        {},
        {
          items: [{ quantity: 1, unitPrice: 500, cost: 500, calcDiscount: 60 }],
          calcCartDiscount: 40,
          deliveryFee: 50,
          creditCardFee: 25,
          totalPreCalcTax: 50,
          totalCalcTax: 50,
          appliedAfterTaxDiscount: 25,
          roundAmt: 10,
          total: 510,
        },
      ),
    )
    // The published example has adjustments of 10 as well, which no field of the wire names.
    expect([shown(sale.totalDue + of('10')), shown(sale.identityDelta)]).toEqual(['520.00', '0.00'])
    expect(shown(read(wireOf('I', {}, { total: 1 })).identityDelta)).toBe('1.00')
  })
})

describe('what is booked', () => {
  it.each([
    ['a completed sale', {}, undefined],
    ['a refund', { transType: 'Refund' }, undefined],
    ['a sale on hold', { status: 'Hold' }, 'not_completed'],
    ['a sale in progress', { status: 'InProgress' }, 'not_completed'],
    ['a queued sale', { status: 'Queued' }, 'not_completed'],
    [
      'a sale that fell back to queued after it was completed',
      { status: 'Queued', completedTime: 5 },
      'not_completed',
    ],
    ['a status that nobody knows', { status: 'Teleported' }, 'not_completed'],
    ['no status', { status: null }, 'not_completed'],
    ['a void', { status: 'Void' }, 'void'],
    ['a cancellation', { status: 'Canceled' }, 'void'],
    ['a deleted sale', { deleted: true }, 'deleted'],
    ['a sale whose mark of deletion is a number, as tables take it', { deleted: 1 }, 'deleted'],
    ['a sale that is not deleted, as a number', { deleted: 0 }, undefined],
    ['a reconciliation', { transType: 'Reconciliation', cart: null }, 'reconciliation'],
    ['a transfer', { transType: 'Transfer', cart: null }, 'transfer'],
    ['a type that nobody knows', { transType: 'Layaway' }, 'unknown_type'],
    ['no type', { transType: null }, 'unknown_type'],
  ])('%s: %o', (_, changes, excluded) => {
    expect(read({ ...T1, ...changes }).excluded).toBe(excluded)
  })
})

describe('times', () => {
  it.each<[string, unknown, number | undefined]>([
    ['a number', 1763000000000, 1763000000000],
    ['its digits', '1763000000000', 1763000000000],
    ['digits with an exponent', '1.763e12', 1763000000000],
    ['a part of a millisecond', 1763000000000.5, 1763000000000],
    ['nothing', null, undefined],
    ['never', 0, undefined],
    ['never, as a text', '0', undefined],
    ['no digits', '2025-11-13', undefined],
    ['an empty text', '', undefined],
  ])('come as %s', (_, completedTime, expected) => {
    expect(read({ ...T1, completedTime }).completedMs).toBe(expected)
  })
})

describe('money', () => {
  it.each([
    ['0.30000000000000004', '0.30'],
    ['6.975', '6.975'],
    ['1234567890123456.12', '1234567890123456.12'],
    ['0.1234567890123456', '0.123456789012'],
    ['1e2', '100.00'],
    ['-0.00', '0.00'],
    ['"20.10"', '20.10'],
  ])('reads %s as %s', (token, expected) => {
    expect(shown(readSale(`{"transType":"Sale","cart":{"total":${token}}}`).totalDue)).toBe(
      expected,
    )
  })

  it('adds 0.1 and 0.2 to 0.3', () => {
    expect(
      shown(
        read(wireOf('F', {}, { items: [{ cost: 0.1 }, { cost: 0.2 }], total: 0.3 })).identityDelta,
      ),
    ).toBe('0.00')
  })

  it('keeps delivery and payment fees that apply, and drops those that are switched off', () => {
    const fees = (cart: object): unknown =>
      [
        read(wireOf('F', {}, { deliveryFee: 5, deliveryDiscount: 2, creditCardFee: 2.5, ...cart })),
      ].map(sale => [shown(sale.deliveryFee), shown(sale.paymentFee)])[0]
    expect(fees({})).toEqual(['3.00', '2.50'])
    expect(fees({ enableDeliveryFee: true, enableCreditCardFee: true })).toEqual(['3.00', '2.50'])
    expect(fees({ enableDeliveryFee: false, enableCreditCardFee: false })).toEqual(['0.00', '0.00'])
  })

  it('turns the rounding of a refund with its total, whichever way it goes', () => {
    const refund = (total: number, roundAmt: number): unknown =>
      shown(
        read(
          wireOf(
            'R',
            { transType: 'Refund' },
            { items: [{ cost: total - roundAmt }], total, roundAmt },
          ),
        ).rounding,
      )
    expect([refund(10, 0.02), refund(-10, -0.02), refund(10, -0.02), refund(-10, 0.02)]).toEqual([
      '-0.02',
      '-0.02',
      '0.02',
      '0.02',
    ])
  })

  it('turns the rounding of a refund that it leaves nothing of with its lines', () => {
    const penny = (cost: number, cart: object = {}): unknown => {
      const { rounding, identityDelta } = read(
        wireOf(
          'R',
          { transType: 'Refund' },
          { items: [{ cost }], total: 0, roundAmt: -cost, ...cart },
        ),
      )
      return [rounding, identityDelta].map(shown)
    }
    for (const cart of [{}, { subTotal: 0.01 }]) expect(penny(0.01, cart)).toEqual(['0.01', '0.00'])
    for (const cart of [{}, { subTotal: -0.01 }])
      expect(penny(-0.01, cart)).toEqual(['0.01', '0.00'])
  })
})

it('reads any JSON object without falling over', () => {
  fc.assert(
    fc.property(
      fc.object({
        key: fc.constantFrom(
          'id',
          'cart',
          'items',
          'payments',
          'transType',
          'total',
          'quantityLogs',
          'taxResult',
          'cost',
        ),
        maxDepth: 4,
      }),
      wire => void readSale(JSON.stringify(wire)),
    ),
  )
})
