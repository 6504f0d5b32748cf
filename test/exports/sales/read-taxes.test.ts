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
    [
      'of a delivery fee and of a surcharge',
      {
        totalPreCalcTax: 0.75,
        totalCalcTax: 2.8,
        taxResult: {
          totalStateTax: 2,
          totalDeliveryFeeTax: 0.5,
          totalSurchargeTax: 0.3,
          totalStatePreTax: 0.6,
          totalDeliveryFeePreTax: 0.1,
          totalSurchargePreTax: 0.05,
        },
      },
      [
        'state pre 0.60 header',
        'delivery pre 0.10 header',
        'surcharge pre 0.05 header',
        'state post 2.00 header',
        'delivery post 0.50 header',
        'surcharge post 0.30 header',
      ],
    ],
    [
      'of a delivery fee that the authorities’ totals contain',
      { totalCalcTax: 2.5, taxResult: { totalStateTax: 2.5, totalDeliveryFeeTax: 0.5 } },
      ['state post 2.50 header'],
    ],
    [
      'of a delivery fee beside those of the lines, which tell it once more',
      {
        totalCalcTax: 2.5,
        taxResult: { totalDeliveryFeeTax: 0.5 },
        items: [{ taxResult: { totalCityTax: 2, totalDeliveryFeeTax: 0.5 } }],
      },
      ['delivery post 0.50 header', 'city post 2.00 item 1'],
    ],
    [
      'of a delivery fee of the lines alone',
      {
        totalCalcTax: 2.5,
        items: [{ taxResult: { totalCityTax: 2, totalDeliveryFeeTax: 0.5 } }],
      },
      ['city post 2.00 item 1', 'delivery post 0.50 item 1'],
    ],
    [
      'of a delivery fee, and nobody says whom the rest is owed to',
      { totalCalcTax: 2.5, taxResult: { totalDeliveryFeeTax: 0.5 } },
      ['delivery post 0.50 header', 'unsplit post 2.00 header'],
    ],
    [
      'of a surcharge and of nothing else',
      { totalCalcTax: 0.3, taxResult: { totalSurchargeTax: 0.3 } },
      ['surcharge post 0.30 header'],
    ],
    [
      'of a delivery fee that no total of taxes has',
      { totalCalcTax: 0, taxResult: { totalDeliveryFeeTax: 0.5 } },
      [],
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
