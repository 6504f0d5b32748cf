import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allocate } from '../../../exports/sales/allocate.ts'
import type { Sale } from '../../../exports/sales/sale.ts'
import { amountText, sum } from '../../../money/amount.ts'
import { of, read, shown } from './read-example.ts'
import { negative, wireOf } from './worked-example.ts'

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
    ['no lots, and none named', { quantityLogs: [] }, {}, [false, '0.00']],
    [
      'no lots of a batch of unknown cost',
      { quantityLogs: [], batchId: 'B-LOST' },
      {},
      [false, '0.00'],
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

  it.each([
    ['the lines come back', 5, -2],
    ['the lines go out, negative', -5, 2],
    ['no line, without signs', 5, 2],
  ])('has the discounts of an exchange go with their lines, in the sign of %s', (_, back, out) => {
    const wire = wireOf(
      'X',
      { transType: 'Refund' },
      {
        items: [line({ cost: 50, calcDiscount: back }), line({ cost: -20, calcDiscount: out })],
        total: 27,
      },
    )
    expect(read(wire).items.map(({ net }) => shown(net))).toEqual(['-45.00', '18.00'])
    expect(shown(read(wire).identityDelta)).toBe('0.00')
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
