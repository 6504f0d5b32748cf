import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDecimal, allFit, newDecimalTotals, sumOf } from '../../money/decimal-totals.ts'
import type { DecimalTotals } from '../../money/decimal-totals.ts'
import { decimalType, fitDecimal, plainDecimal } from '../../money/decimal.ts'

/**
 * Value of a token as a fraction over 10^200, by the book: another way than the code under test.
 */
const SCALE = 200
function valueOf(token: string): bigint {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.')
  const value =
    BigInt(whole + fraction || '0') * 10n ** BigInt(SCALE - fraction.length + Number(exponent))
  return mantissa.startsWith('-') ? -value : value
}

const digits = (maxLength: number, minLength = 0) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })
const token = fc
  .record({
    sign: fc.constantFrom('', '-', '+'),
    whole: digits(20, 1),
    fraction: fc.option(digits(20, 1), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -40, max: 40 }), { nil: undefined }),
  })
  .map(
    ({ sign, whole, fraction, exponent }) =>
      `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`,
  )

const totalsOf = (tokens: readonly string[]): DecimalTotals => {
  const totals = newDecimalTotals()
  for (const each of tokens) addDecimal(totals, each)
  return totals
}

describe('plainDecimal', () => {
  it('keeps the value of every token exactly', () => {
    fc.assert(
      fc.property(token, given => {
        const plain = plainDecimal(given) ?? 'none'
        expect(plain).toMatch(/^-?\d+(\.\d+)?$/)
        expect(valueOf(plain)).toBe(valueOf(given))
      }),
      { numRuns: 2000 },
    )
  })

  it('returns plain digits untouched, so that nothing is rewritten without need', () => {
    for (const plain of [
      '12.50',
      '-0.00',
      '007.10',
      '0',
      '1234567890123456789012345678901234567890.12',
    ])
      expect(plainDecimal(plain)).toBe(plain)
  })

  it('writes exponents out and keeps the digits that were given', () => {
    expect(
      ['1e-7', '1.50e1', '100e-2', '1E+2', '-2.5e-1', '0e9', '+.5', '5.'].map(plainDecimal),
    ).toEqual(['0.0000001', '15.0', '1.00', '100', '-0.25', '0', '0.5', '5'])
  })

  it('refuses what is no decimal, and exponents that would fill the memory', () => {
    for (const bad of [
      '',
      '-',
      '.',
      'e5',
      '1e',
      'NaN',
      '1,000',
      '1_000',
      ' 5',
      '0x10',
      '1.2.3',
      '1e999999999',
      '--1',
    ])
      expect(plainDecimal(bad), bad).toBeUndefined()
  })
})

describe('decimal totals', () => {
  it('sum exactly, whatever the mix of scales, signs and exponents', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), tokens => {
        expect(valueOf(sumOf(totalsOf(tokens)))).toBe(
          tokens.reduce((sum, each) => sum + valueOf(each), 0n),
        )
      }),
      { numRuns: 1000 },
    )
  })

  it('sum exactly where a double would not', () => {
    expect(sumOf(totalsOf(['0.1', '0.2']))).toBe('0.30')
    expect(sumOf(totalsOf(Array.from({ length: 20_000 }, () => '9999999999999.99')))).toBe(
      '199999999999999800.00',
    )
    expect(
      Array.from({ length: 20_000 }, () => 9999999999999.99)
        .reduce((sum, each) => sum + each, 0)
        .toFixed(2),
    ).not.toBe('199999999999999800.00')
  })

  it('tell whether a declared type holds every value, as each value tells for itself', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), fc.constantFrom(4, 6), (tokens, places) => {
        const exact = tokens.map(each => fitDecimal(each, places)!.exact)
        expect(allFit(totalsOf(tokens), places)).toBe(!exact.includes(false))
      }),
      { numRuns: 1000 },
    )
  })

  it('fit by rounding half away from zero, and not at all where whole digits are too many', () => {
    fc.assert(
      fc.property(token, fc.constantFrom(4, 6), (given, places) => {
        const { text, exact } = fitDecimal(given, places)!
        const value = valueOf(given)
        const step = 10n ** BigInt(SCALE - places)
        const magnitude = value < 0n ? -value : value
        const nearest = ((magnitude + step / 2n) / step) * step
        if (text === null) {
          expect(nearest >= 10n ** BigInt(SCALE + 18 - places)).toBe(true)
          return
        }
        expect(text).toMatch(new RegExp(`^-?\\d+\\.\\d{${places}}$`))
        expect(valueOf(text)).toBe(value < 0n ? -nearest : nearest)
        expect(exact).toBe(nearest === magnitude)
      }),
      { numRuns: 1000 },
    )
    expect(fitDecimal('1.00005', 4)).toEqual({ text: '1.0001', exact: false })
    expect(fitDecimal('-1.00005', 4)).toEqual({ text: '-1.0001', exact: false })
    expect(fitDecimal('123456789012345', 4)).toEqual({ text: null, exact: false })
    expect(decimalType(4)).toBe('DECIMAL(18,4)')
  })

  it('notice a value that is no decimal', () => {
    expect(totalsOf(['1', 'x']).broken).toBe(true)
    expect(totalsOf(['1', '2e0']).broken).toBe(false)
  })
})
