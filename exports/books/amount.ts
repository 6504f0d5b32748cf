import { plainDecimal } from '../decimal.ts'

/**
 * Money and quantities as whole numbers of 10^-12, so that sums and products are exact (INV-6).
 * Twelve places hold everything that a till multiplies (a quantity of four places by a cost of
 * eight); what has more, like 0.30000000000000004 of an API that adds in doubles, is rounded half
 * away from zero at the twelfth.
 */
export type Amount = bigint

export const PLACES = 12
export const ONE: Amount = 10n ** 12n
export const CENT: Amount = 10n ** 10n

const MICRO = 1e6
const MICROS = 10n ** 6n

/** A number or a decimal text, as an amount; `undefined` if it is neither. */
export function toAmount(value: unknown): Amount | undefined {
  if (typeof value === 'number') {
    // The fast way, for nearly all: up to six places, far below 2^53. Dividing back shows that
    // nothing was lost.
    const micros = Math.round(value * MICRO)
    if (Number.isSafeInteger(micros) && micros / MICRO === value) return BigInt(micros) * MICROS
    return parse(String(value))
  }
  return typeof value === 'string' ? parse(value) : undefined
}

function parse(token: string): Amount | undefined {
  const plain = plainDecimal(token.trim())
  if (plain === undefined) return undefined
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  const kept = BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'))
  const rounded = fraction.charCodeAt(PLACES) >= 53 ? kept + 1n : kept
  return plain.startsWith('-') ? -rounded : rounded
}

/**
 * Plain digits, at least `places` of them after the point and no other trailing zeros: `75.00`,
 * `6.975`.
 */
export function amountText(amount: Amount, places = 2): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES)
  let end = PLACES
  while (end > places && fraction.charCodeAt(end - 1) === 48) end--
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${end === 0 ? '' : `.${fraction.slice(0, end)}`}`
}

/** Half away from zero at the twelfth place. */
export function multiply(a: Amount, b: Amount): Amount {
  return roundTo(a * b, ONE) / ONE
}

/** To whole cents, half away from zero, as tax tables have it: 6.975 is 6.98. */
export function roundToCents(amount: Amount): Amount {
  return roundTo(amount, CENT)
}

/** Half away from zero at the sixth place. */
export const roundToMicros = (amount: Amount): Amount => roundTo(amount, MICROS)

function roundTo(amount: bigint, step: bigint): bigint {
  const half = step / 2n
  return ((amount < 0n ? amount - half : amount + half) / step) * step
}

export const negate = (amount: Amount): Amount => -amount
export const magnitude = (amount: Amount): Amount => (amount < 0n ? -amount : amount)
export const sum = (amounts: Iterable<Amount>): Amount => {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
