import { plainDecimal, roundedSize } from './decimal.ts'

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
    if (value === 0) return 0n
    // The fast way, for nearly all: up to six places, far below 2^53. Dividing back shows that
    // nothing was lost.
    const micros = Math.round(value * MICRO)
    if (Number.isSafeInteger(micros) && micros / MICRO === value) return fromMicros(micros)
    return parse(String(value))
  }
  return typeof value === 'string' ? parse(value) : undefined
}

/** One step where the result is below 2^53 as well, as that of nearly all is. */
function fromMicros(micros: number): Amount {
  const units = micros * MICRO
  return Number.isSafeInteger(units) ? BigInt(units) : BigInt(micros) * MICROS
}

function parse(token: string): Amount | undefined {
  const plain = plainDecimal(token.trim())
  if (plain === undefined) return undefined
  const rounded = roundedSize(plain, PLACES)
  return plain.startsWith('-') ? -rounded : rounded
}

/**
 * Plain digits, at least `places` of them after the point and no other trailing zeros: `75.00`,
 * `6.975`.
 */
export function amountText(amount: Amount, places = 2): string {
  return shortText(amount, places) ?? exactText(amount, places)
}

/** Of nearly all: money in cents, quantities in pieces. */
function shortText(amount: Amount, places: number): string | undefined {
  if (places === 2) return centsText(amount)
  return places === 0 ? wholeText(amount) : undefined
}

/** As many units of 10^-12 as a number holds exactly. */
const MOST_EXACT = BigInt(Number.MAX_SAFE_INTEGER)
const UNITS_A_CENT = Number(CENT)
const UNITS_A_PIECE = Number(ONE)

/**
 * Whole cents of up to 9,007 in plain digits, without the steps of a long number; nearly all are.
 */
function centsText(amount: Amount): string | undefined {
  if (amount === 0n) return '0.00'
  if (amount > MOST_EXACT || amount < -MOST_EXACT) return undefined
  const units = Number(amount)
  const cents = Math.round(units / UNITS_A_CENT)
  if (cents * UNITS_A_CENT !== units) return undefined
  const absolute = Math.abs(cents)
  const rest = absolute % 100
  const whole = (absolute - rest) / 100
  return `${cents < 0 ? '-' : ''}${whole}.${rest < 10 ? '0' : ''}${rest}`
}

/** The same for a whole number. */
function wholeText(amount: Amount): string | undefined {
  if (amount > MOST_EXACT || amount < -MOST_EXACT) return undefined
  const units = Number(amount)
  const whole = Math.round(units / UNITS_A_PIECE)
  return whole * UNITS_A_PIECE === units ? String(whole) : undefined
}

function exactText(amount: Amount, places: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES)
  let end = PLACES
  while (end > places && fraction.charCodeAt(end - 1) === 48) end--
  const sign = amount < 0n ? '-' : ''
  const whole = digits.slice(0, -PLACES)
  return end === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction.slice(0, end)}`
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
/** Not further apart than a rounding to cents makes. */
export const isClose = (a: Amount, b: Amount): boolean => magnitude(a - b) <= CENT / 2n
