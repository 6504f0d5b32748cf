import { plainDecimal } from '../decimal.ts'

/** Exact amounts as integers of this many decimals (INV-6): finer than any price, tax or weight that an API writes. */
const DECIMALS = 18
const ONE_CENT = 10n ** BigInt(DECIMALS - 2)

/** An exact amount. */
export type Exact = bigint & { readonly unit?: 'exact' }
export type Cents = bigint & { readonly unit?: 'cents' }

/** Reads decimal text; what is not a decimal is nobody's money, and `undefined`. */
export function exactOf(text: string): Exact | undefined {
  const plain = plainDecimal(text)
  if (plain === undefined) return undefined
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  const value = BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'))
  return plain.startsWith('-') ? -value : value
}

/** Half a cent goes away from zero, so that a refund of 6.975 is 6.98 as its sale was. */
export function roundToCents(amount: Exact): Cents {
  const magnitude = amount < 0n ? -amount : amount
  const cents = (magnitude + ONE_CENT / 2n) / ONE_CENT
  return amount < 0n ? -cents : cents
}

/**
 * Rounds amounts that belong together. Each becomes the nearest cent; where these do not add up to nothing, amounts
 * with fractions of a cent, and only they, take the cent on their other side, the nearest first. What is still left
 * then is no rounding: the figures do not tie out.
 */
export function roundTogether(amounts: readonly Exact[]): { cents: Cents[]; residual: Cents } {
  const cents = amounts.map(roundToCents)
  let residual = cents.reduce((sum, one) => sum + one, 0n)
  const spare = amounts
    .map((amount, index) => ({ index, moved: cents[index]! * ONE_CENT - amount }))
    .filter(({ moved }) => moved !== 0n && moved > 0n === residual > 0n)
    .sort((a, b) => Number(size(b.moved) - size(a.moved)) || a.index - b.index)
  for (const { index } of spare) {
    if (residual === 0n) break
    const step = residual > 0n ? 1n : -1n
    cents[index] = cents[index]! - step
    residual -= step
  }
  return { cents, residual }
}

const size = (value: bigint): bigint => (value < 0n ? -value : value)

/** `-1234` -> `-12.34`. */
export function centsText(cents: Cents): string {
  const digits = size(cents).toString().padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Reads what `centsText` wrote. */
export function centsOf(text: string): Cents {
  return roundToCents(exactOf(text) ?? 0n)
}
