import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allocate } from '../../../exports/books/allocate.ts'
import { amountText, sum, toAmount } from '../../../exports/books/amount.ts'
import type { Amount } from '../../../exports/books/amount.ts'
import { readSale } from '../../../exports/books/read-sale.ts'
import type { Sale } from '../../../exports/books/sale.ts'
import { exampleFacts, negative, T1, T2, T3, wireOf } from './worked-example.ts'

const read = (wire: unknown): Sale => readSale(JSON.stringify(wire), exampleFacts)
const of = (text: string): Amount => toAmount(text)!
const shown = (amount: Amount | undefined): string | undefined =>
  amount === undefined ? undefined : amountText(amount)

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
    ['nothing', null, undefined],
    ['never', 0, undefined],
    ['never, as a text', '0', undefined],
    ['no digits', '2025-11-13', undefined],
    ['an empty text', '', undefined],
  ])('come as %s', (_, completedTime, expected) => {
    expect(read({ ...T1, completedTime }).completedMs).toBe(expected)
  })
})

describe('lines', () => {
  const line = (changes: object): object => ({
    productId: 'P-GUM',
    quantity: 1,
    unitPrice: 20,
    cost: 20,
    calcDiscount: 0,
    quantityLogs: [{ batchId: 'B-GUM', quantity: 1 }],
    ...changes,
  })
  const itemsOf = (items: object[], changes: object = {}, cart: object = {}): Sale['items'] =>
    read(wireOf('L', { ...changes }, { items, ...cart })).items

  it('keeps two identical lines apart', () => {
    expect(itemsOf([line({}), line({})]).map(item => [item.lineNo, shown(item.retail)])).toEqual([
      [1, '20.00'],
      [2, '20.00'],
    ])
  })

  it('prices a line that was drawn from two lots by the cost of each', () => {
    const [item] = itemsOf([
      line({
        quantity: 3,
        cost: 60,
        quantityLogs: [
          { batchId: 'B-GUM', inventoryId: 'A', quantity: 2 },
          { batchId: 'B-PIPE', inventoryId: 'B', quantity: 1 },
        ],
      }),
    ])
    expect([
      shown(item!.cogs),
      item!.costSource,
      item!.lots.map(
        lot => `${lot.lotNo} ${lot.batchId} ${lot.inventoryId} ${shown(lot.quantity)}`,
      ),
    ]).toEqual(['19.10', 'batch', ['1 B-GUM A 2.00', '2 B-PIPE B 1.00']])
  })

  it.each([
    [
      'of a lot that is not known',
      line({ quantityLogs: [{ batchId: 'B-LOST', quantity: 1 }] }),
      [undefined, 'missing', undefined],
    ],
    [
      'of one lot of two',
      line({
        quantityLogs: [
          { batchId: 'B-LOST', quantity: 1 },
          { batchId: 'B-GUM', quantity: 1 },
        ],
      }),
      [undefined, 'missing', undefined],
    ],
    ['of no lot at all', line({ quantityLogs: [] }), [undefined, 'missing', undefined]],
    [
      'of the lot on the line',
      line({ quantityLogs: [], batchId: 'B-GUM' }),
      ['8.00', 'batch', '8.00'],
    ],
    ['that the line states', line({ quantityLogs: [], unitCost: 7.5 }), ['7.50', 'line', '7.50']],
  ])('finds the cost %s, and never 0 instead of it', (_, item, expected) => {
    const sale = read(wireOf('L', {}, { items: [item] }))
    expect([shown(sale.items[0]!.cogs), sale.items[0]!.costSource, shown(sale.cogs)]).toEqual(
      expected,
    )
  })

  it.each([
    ['lots', { quantityLogs: [{ batchId: 'B-GUM', quantity: 1 }] }, {}, [true, '-8.00']],
    ['no lots', { quantityLogs: [], batchId: 'B-GUM' }, {}, [false, '0.00']],
    ['no lots, and none named', { quantityLogs: [] }, {}, [false, undefined]],
    [
      'no lots of a batch of unknown cost',
      { quantityLogs: [], batchId: 'B-LOST' },
      {},
      [false, undefined],
    ],
    [
      'no list, but the option to restock',
      { quantityLogs: undefined, batchId: 'B-GUM' },
      { refundOption: 'WithInventory' },
      [true, '-8.00'],
    ],
    [
      'no list, and the option not to',
      { quantityLogs: undefined, batchId: 'B-GUM' },
      { refundOption: 'WithoutInventory' },
      [false, '0.00'],
    ],
  ])('knows from %s whether a refund was restocked', (_, changes, cart, expected) => {
    const [item] = itemsOf([line(changes)], { transType: 'Refund' }, { total: 20, ...cart })
    expect([item!.restocked, shown(item!.cogs)]).toEqual(expected)
  })

  it('weighs fractional grams exactly', () => {
    const [item] = itemsOf([
      line({
        productId: 'P-BULK',
        quantity: 28.3495,
        unitPrice: 9.99,
        cost: 283.21,
        quantityLogs: [{ batchId: 'B-BULK', quantity: 28.3495 }],
      }),
    ])
    expect([item!.unit, amountText(item!.gramsEquivalent!, 0), amountText(item!.cogs!)]).toEqual([
      'GRAM',
      '28.3495',
      '119.56401625',
    ])
  })

  it('takes the quantity, not the original one, and computes a price that is not stated', () => {
    const [item] = itemsOf([
      line({ quantity: 1.5, origQuantity: 3, unitPrice: 4.65, cost: undefined }),
    ])
    expect([amountText(item!.quantity, 0), shown(item!.retail)]).toEqual(['1.5', '6.98'])
  })

  it.each([
    ['free of charge', line({ unitPrice: 0, cost: 0 }), '0.00'],
    ['wholly discounted', line({ calcDiscount: 20 }), '0.00'],
    ['a cent of compassion', line({ unitPrice: 0.01, cost: 0.01 }), '0.01'],
    ['going the other way', line({ quantity: -1, cost: -20 }), '-20.00'],
    ['with the final price only', line({ calcDiscount: undefined, finalPrice: 15 }), '15.00'],
  ])('keeps a line that is %s', (_, item, net) => {
    expect(shown(itemsOf([item])[0]!.net)).toBe(net)
  })

  it('keeps a refund with a line that goes the other way apart from its sign on the wire', () => {
    const wire = wireOf(
      'X',
      { transType: 'Refund' },
      { items: [line({ cost: 50 }), line({ cost: -20 })], total: 30 },
    )
    const nets = (sale: Sale): unknown[] => [
      ...sale.items.map(item => shown(item.net)),
      shown(sale.identityDelta),
    ]
    expect(nets(read(wire))).toEqual(['-50.00', '20.00', '0.00'])
    expect(nets(read(negative(wire)))).toEqual(nets(read(wire)))
  })

  const twoWays = (changes: object): object =>
    wireOf('X', { transType: 'Refund' }, { total: 10, ...changes })
  const goodsOf = (sale: Sale): unknown[] =>
    sale.items.map(item =>
      [item.quantity, ...item.lots.map(({ quantity }) => quantity), item.cogs].map(shown).join(' '),
    )
  it.each([
    [
      'more comes back than goes out',
      [
        line({ quantity: 2, cost: 40, unitCost: 8, quantityLogs: [{ quantity: 2 }] }),
        line({ quantity: -1, cost: -20, unitCost: 3, quantityLogs: [{ quantity: -1 }] }),
      ],
      ['-2.00 -2.00 -16.00', '1.00 1.00 3.00'],
    ],
    [
      'fewer pieces come back, but dearer ones',
      [
        line({ quantity: 1, cost: 50, unitCost: 8, quantityLogs: [{ quantity: 1 }] }),
        line({ quantity: -2, cost: -20, unitCost: 3, quantityLogs: [{ quantity: -2 }] }),
      ],
      ['-1.00 -1.00 -8.00', '2.00 2.00 6.00'],
    ],
    [
      'a line was drawn from lots that cancel each other',
      [
        line({
          quantity: 1,
          cost: 50,
          unitCost: 8,
          quantityLogs: [{ quantity: 2 }, { quantity: -2 }],
        }),
      ],
      ['-1.00 2.00 -2.00 0.00'],
    ],
    [
      'lots have no sign',
      [
        line({ quantity: 2, cost: 40, unitCost: 8, quantityLogs: [{ quantity: 2 }] }),
        line({ quantity: -1, cost: -20, unitCost: 3, quantityLogs: [{ quantity: 1 }] }),
      ],
      ['-2.00 -2.00 -16.00', '1.00 1.00 3.00'],
    ],
  ])(
    'costs the lots of a refund in the direction of their line, where %s',
    (_, items, expected) => {
      expect(goodsOf(read(twoWays({ items })))).toEqual(expected)
    },
  )

  it('costs such a refund the same, negative on the wire', () => {
    const lines = (sign: number): object =>
      twoWays({
        items: [
          line({
            quantity: sign * 1,
            cost: sign * 50,
            unitCost: 8,
            quantityLogs: [{ quantity: sign * 1 }],
          }),
          line({
            quantity: sign * -2,
            cost: sign * -20,
            unitCost: 3,
            quantityLogs: [{ quantity: sign * -2 }],
          }),
        ],
      })
    expect(goodsOf(read(lines(-1)))).toEqual(goodsOf(read(lines(1))))
  })

  it('marks gift cards, and takes what the record carries before what the catalog says', () => {
    expect(
      itemsOf([
        line({ productId: 'P-CARD' }),
        line({ product: { name: 'As sold', cannabis: false } }),
      ]).map(item => [item.isGiftCard, item.productName, item.categoryName, item.cannabis]),
    ).toEqual([
      [true, 'Gift card', 'Gift cards', false],
      [false, 'As sold', 'Edible', false],
    ])
  })

  it('splits any discount over any lines without a residue', () => {
    const cents = fc.bigInt(-1_000_000n, 1_000_000n).map(value => value * 10n ** 10n)
    fc.assert(
      fc.property(cents, fc.array(cents, { minLength: 1, maxLength: 12 }), (whole, nets) => {
        const parts = allocate(whole, nets)
        expect(sum(parts)).toBe(whole)
        for (const part of parts) expect(part % 10n ** 10n).toBe(0n)
      }),
    )
    expect(allocate(of('0.10'), ['1', '1', '1'].map(of)).map(shown)).toEqual([
      '0.04',
      '0.03',
      '0.03',
    ])
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
})

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

describe('taxes', () => {
  const taxesOf = (cart: object): string[] =>
    read(wireOf('T', {}, { ...cart })).taxes.map(tax =>
      [
        tax.authority,
        tax.stage,
        shown(tax.amount),
        tax.level,
        ...(tax.lineNo === undefined ? [] : [tax.lineNo]),
      ].join(' '),
    )

  it.each([
    [
      'included in the price',
      { totalPreCalcTax: 1.25, taxResult: { totalStatePreTax: 1.25 } },
      ['state pre 1.25 header'],
    ],
    [
      'excise in the price and on top',
      {
        taxResult: {
          totalExciseTax: 10,
          totalNALPreExciseTax: 4,
          totalALExciseTax: 6,
          totalALPostExciseTax: 6,
        },
      },
      ['excise_nal pre 4.00 header', 'excise_al post 6.00 header'],
    ],
    [
      'excise whose added part is null',
      { taxResult: { totalExciseTax: 10, totalALExciseTax: 10, totalALPostExciseTax: null } },
      ['excise_al post 10.00 header'],
    ],
    [
      'excise in parts alone, without its whole',
      { taxResult: { totalNALPreExciseTax: 4, totalALExciseTax: 6, totalALPostExciseTax: 6 } },
      ['excise_nal pre 4.00 header', 'excise_al post 6.00 header'],
    ],
    [
      'excise of which only the added part is told',
      { taxResult: { totalALPostExciseTax: 6.48, totalCityTax: 1.3 } },
      ['city post 1.30 header', 'excise_al post 6.48 header'],
    ],
    ['excise without its breakdown', { totalExciseTax: 9.5 }, ['excise_al post 9.50 header']],
    [
      'of the lines, where the header has no parts',
      {
        totalCalcTax: 3,
        items: [{ taxResult: { totalCityTax: 1 } }, { taxResult: { totalCityTax: 2 } }],
      },
      ['city post 1.00 item 1', 'city post 2.00 item 2'],
    ],
    ['without any parts', { totalCalcTax: 3 }, ['unsplit post 3.00 header']],
    [
      'exempt from sales tax, not from excise',
      { taxResult: { totalStateTax: 0, totalExciseTax: 3.3 } },
      ['excise_al post 3.30 header'],
    ],
  ])('reads taxes %s', (_, cart, expected) => {
    expect(taxesOf(cart)).toEqual(expected)
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
