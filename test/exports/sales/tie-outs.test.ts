import { describe, expect, it } from 'vitest'
import { readSale } from '../../../exports/sales/read-sale.ts'
import { describeFailure, tieOut } from '../../../exports/sales/tie-outs.ts'
import { T1, T2, T3, negative, wireOf } from './worked-example.ts'

const failed = (wire: unknown): string[] =>
  tieOut(readSale(JSON.stringify(wire)))
    .filter(({ passed }) => !passed)
    .map(({ check }) => check)
const cart = (changes: object): unknown => ({
  ...T1,
  cart: { ...(T1['cart'] as object), ...changes },
})

describe('tie-outs', () => {
  it.each([
    ['T1', T1],
    ['T2', T2],
    ['T3', T3],
    ['T3, negative on the wire', negative(T3)],
  ])('pass for %s of the worked example', (_, wire) => {
    expect(failed(wire)).toEqual([])
  })

  it.each([
    ['a total that is a cent off', cart({ total: 87.51 }), ['total', 'tenders']],
    ['a rounding that nobody took', cart({ roundAmt: 0 }), ['total']],
    ['a subtotal of other lines', cart({ subTotal: 71 }), ['lines']],
    ['taxes with a part missing', cart({ taxResult: { totalCityTax: 6.3 } }), ['post_taxes']],
    ['a payment too few', { ...T2, payments: (T2['payments'] as unknown[]).slice(1) }, ['tenders']],
    ['a total without lines', wireOf('E', {}, { total: 5, subTotal: 5 }), ['has_lines', 'tenders']],
  ])('find %s', (_, wire, expected) => {
    expect(failed(wire)).toEqual(expected)
  })

  it('take a subtotal before the discounts of the lines, and up to half a cent of rounding', () => {
    expect(failed(cart({ subTotal: 75 }))).toEqual([])
    expect(failed(cart({ total: 87.5000000001 }))).toEqual([])
    expect(
      failed(
        cart({
          totalCalcTax: 24.475,
          taxResult: { ...(T1['cart'] as { taxResult: object }).taxResult, totalCityTax: 6.305 },
        }),
      ),
    ).toEqual([])
  })

  it('do not judge what is not booked', () => {
    expect(tieOut(readSale(JSON.stringify({ ...T1, status: 'Void' })))).toEqual([])
  })

  it('say what is wrong in amounts', () => {
    expect(
      tieOut(readSale(JSON.stringify(cart({ roundAmt: 0 }))))
        .filter(({ passed }) => !passed)
        .map(describeFailure),
    ).toEqual([
      'the total is not what its lines, discounts, fees and taxes add up to: 87.47 expected, 87.50 found, 0.03 too much',
    ])
  })
})
