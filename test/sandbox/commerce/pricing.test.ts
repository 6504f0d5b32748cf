import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addTaxes,
  spreadCartDiscount,
  startLine,
  sumUp,
} from '../../../sandbox/commerce/pricing.ts'
import {
  after,
  CART_MOVES,
  TRACKING_MOVES,
  TRANSACTION_MOVES,
} from '../../../sandbox/commerce/states.ts'

const line = fc.record({
  quantity: fc.integer({ min: 1, max: 10_000 }),
  unitPrice: fc.integer({ min: 0, max: 20_000 }),
  percentOff: fc.constantFrom(0, 10, 33, 100),
  amountOff: fc.integer({ min: 0, max: 5000 }),
  cannabis: fc.boolean(),
})
const shop = fc.record({
  taxes: fc.record({
    city: fc.integer({ min: 0, max: 1500 }),
    excise: fc.integer({ min: 0, max: 3000 }),
    state: fc.integer({ min: 0, max: 2000 }),
    county: fc.integer({ min: 0, max: 1000 }),
  }),
  accessoriesIncludeTax: fc.boolean(),
})

describe('a cart', () => {
  it('gives a discount to its lines to the cent, never more than a line costs, and adds up', () => {
    fc.assert(
      fc.property(
        shop,
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(0, 5, 15, 100),
        fc.integer({ min: 0, max: 30_000 }),
        fc.boolean(),
        fc.constantFrom(1, 5),
        fc.integer({ min: 0, max: 2000 }),
        (place, asked, percentOff, amountOff, medical, step, loyalty) => {
          const lines = asked.map(one =>
            startLine(one.quantity, one.unitPrice, one.percentOff, one.amountOff),
          )
          const whole = lines.reduce((sum, one) => sum + one.cost - one.discount, 0)
          spreadCartDiscount(lines, percentOff, amountOff)
          for (const [at, one] of lines.entries())
            addTaxes(place, one, asked[at]!.cannabis, medical)
          const cart = sumUp(lines, percentOff, { deliveryFee: 500, cardFee: 0, step, loyalty })
          expect(cart.cartDiscount).toBeLessThanOrEqual(whole)
          expect(
            Math.abs(
              cart.cartDiscount -
                Math.min(whole, Math.round((whole * percentOff) / 100) + amountOff),
            ),
          ).toBeLessThanOrEqual(1)
          for (const one of lines) {
            expect(one.cost - one.discount - one.cartDiscount).toBeGreaterThanOrEqual(0)
            expect(
              Math.min(one.city, one.excise, one.state, one.county, one.statePre),
            ).toBeGreaterThanOrEqual(0)
          }
          const due =
            cart.retail -
            cart.lineDiscount -
            cart.cartDiscount +
            cart.deliveryFee +
            cart.city +
            cart.excise +
            cart.state +
            cart.county -
            cart.afterTaxDiscount +
            cart.rounding
          expect([cart.total, cart.total % step]).toEqual([due, 0])
          expect(Math.abs(cart.rounding)).toBeLessThan(step)
        },
      ),
    )
  })

  it('compounds taxes as published: excise on net and city tax, sales tax on all, none for medical buyers', () => {
    const place = {
      taxes: { city: 1000, excise: 1500, state: 725, county: 250 },
      accessoriesIncludeTax: false,
    }
    const flower = startLine(100, 3150, 0)
    const medical = { ...flower }
    addTaxes(place, flower, true, false)
    addTaxes(place, medical, true, true)
    expect(flower).toMatchObject({ city: 315, excise: 520, state: 289, county: 100 })
    expect(medical).toMatchObject({ city: 315, excise: 520, state: 0, county: 0 })
  })
})

describe('states', () => {
  it.each([
    [
      'transactions',
      TRANSACTION_MOVES,
      ['Completed', 'Canceled'],
      ['sign', 'void', 'refund', 'editPayment'],
    ],
    [
      'carts',
      CART_MOVES,
      ['Completed', 'Declined', 'CanceledByConsumer', 'CanceledByDispensary'],
      [],
    ],
    ['tracking', TRACKING_MOVES, ['Delivered', 'Declined'], []],
  ] as const)(
    'of %s end: no step but the named ones leads on from there',
    (_what, moves, ends, named) => {
      for (const step of Object.keys(moves)) {
        const goesOn = ends.some(state => after<string>(moves, step, state) !== undefined)
        expect([step, goesOn]).toEqual([step, (named as readonly string[]).includes(step)])
      }
    },
  )
})
