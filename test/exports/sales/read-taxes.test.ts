import { describe, expect, it } from 'vitest'
import { read, shown } from './read-example.ts'
import { wireOf } from './worked-example.ts'

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
    [
      'of the lines for the stage that the header does not split',
      {
        totalPreCalcTax: 1.25,
        totalCalcTax: 3,
        taxResult: { totalStatePreTax: 1.25 },
        items: [{ taxResult: { totalCityTax: 3, totalStatePreTax: 1.25 } }],
      },
      ['state pre 1.25 header', 'city post 3.00 item 1'],
    ],
    [
      'of the header alone, where it says that there are none of the other stage',
      {
        totalCalcTax: 3,
        taxResult: { totalCityTax: 3 },
        items: [{ taxResult: { totalCityTax: 3, totalStatePreTax: 1.25 } }],
      },
      ['city post 3.00 header'],
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
