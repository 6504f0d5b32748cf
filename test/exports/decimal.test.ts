import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDecimal,
  decimalType,
  newDecimalTotals,
  plainDecimal,
  sumOf,
} from '../../exports/decimal.ts'
import type { DecimalTotals } from '../../exports/decimal.ts'

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

  it('choose a type that holds every value without rounding', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 10 }), tokens => {
        const type = decimalType(totalsOf(tokens))
        if (type === undefined) return
        const [, precision = 0, scale = 0] =
          /^DECIMAL\((\d+),(\d+)\)$/.exec(type)?.map(Number) ?? []
        for (const each of tokens) {
          const value = valueOf(each)
          expect(value % 10n ** BigInt(SCALE - scale)).toBe(0n)
          expect((value < 0n ? -value : value) < 10n ** BigInt(SCALE + precision - scale)).toBe(
            true,
          )
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('stay with DECIMAL(18,2) until a value needs more, and give up beyond 38 digits', () => {
    expect(decimalType(totalsOf([]))).toBe('DECIMAL(18,2)')
    expect(decimalType(totalsOf(['1.5000', '-0.00', '1234567890123456.12']))).toBe('DECIMAL(18,2)')
    expect(decimalType(totalsOf(['1.005']))).toBe('DECIMAL(18,3)')
    expect(decimalType(totalsOf(['12345678901234567.12', '0.0001']))).toBe('DECIMAL(21,4)')
    expect(decimalType(totalsOf(['1e35']))).toBe('DECIMAL(38,2)')
    expect(decimalType(totalsOf(['1e36']))).toBeUndefined()
  })

  it('notice a value that is no decimal', () => {
    expect(totalsOf(['1', 'x']).broken).toBe(true)
    expect(totalsOf(['1', '2e0']).broken).toBe(false)
  })
})
