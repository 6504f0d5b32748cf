import fc from 'fast-check'
import { expect, it } from 'vitest'
import { amountText, toAmount } from '../../money/amount.ts'
import { parseRecord } from '../../text/record-fields.ts'

/** An amount in plain digits by text alone: another way than the code under test. */
function textOf(amount: bigint, places: number): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(13, '0')
  const fraction = digits.slice(-12).replace(/0+$/, '').padEnd(places, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -12)}${fraction === '' ? '' : `.${fraction}`}`
}

const CENT = 10n ** 10n
const amount = fc.oneof(
  fc.bigInt(-2_000_000n, 2_000_000n).map(cents => cents * CENT),
  fc.bigInt(-(10n ** 18n), 10n ** 18n),
  // Around where a number ends to be exact, and next to whole cents and pieces.
  fc.bigInt(-9n, 9n).map(units => 9_007_199_254_740_991n + units),
  fc.tuple(fc.bigInt(-900_719n, 900_719n), fc.bigInt(-2n, 2n)).map(([c, u]) => c * CENT + u),
  fc.tuple(fc.bigInt(-9_007n, 9_007n), fc.bigInt(-2n, 2n)).map(([p, u]) => 100n * p * CENT + u),
)

it('amounts are written in all of their digits, plain cents and others alike', () => {
  fc.assert(
    fc.property(amount, fc.constantFrom(0, 2), (value, places) => {
      expect(amountText(value, places)).toBe(textOf(value, places))
    }),
    { numRuns: 3000 },
  )
})

it('numbers of the API become the amounts that their digits say', () => {
  const token = fc
    .tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.integer({ min: 0, max: 6 }))
    .map(([digits, places]) => Number((digits / 10 ** places).toFixed(places)))
  fc.assert(
    fc.property(token, value => {
      expect(toAmount(value)).toBe(toAmount(String(value)))
    }),
    { numRuns: 2000 },
  )
  expect([toAmount(0), toAmount(-0), toAmount(12_345.678901)]).toEqual([
    0n,
    0n,
    12345678901n * 10n ** 6n,
  ])
})

it('numbers that a double may not hold keep every digit, wherever their point is', () => {
  const digits = (min: number, max: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })
  fc.assert(
    fc.property(fc.nat(9), digits(0, 12), digits(16, 20), (first, whole, fraction) => {
      const token = `${first + 1}${whole}.${fraction}`
      expect(parseRecord(`{"id":"x","total":${token}}`)['total']).toBe(token)
    }),
    { numRuns: 500 },
  )
  expect(parseRecord('{"total":-1234567890123456}')['total']).toBe('-1234567890123456')
  expect(parseRecord('{"total":123456789012345}')['total']).toBe(123_456_789_012_345)
})

it('a long number is found wherever it stands, and what looks like one in a text stays a text', () => {
  const padding = fc.nat({ max: 40 }).map(length => 'x'.repeat(length))
  const digits = fc.stringMatching(/^[1-9]\d{14,30}$/)
  fc.assert(
    fc.property(padding, digits, fc.constantFrom('', '-'), (before, number, sign) => {
      const raw = `{"a":"${before}","id":"8e${number}","b":[1.5, ${sign}${number}],"c":"${number}"}`
      const long = number.length > 15
      expect(parseRecord(raw)).toEqual({
        a: before,
        id: `8e${number}`,
        b: [1.5, long ? `${sign}${number}` : Number(`${sign}${number}`)],
        c: number,
      })
    }),
  )
})
