import { plainDecimal, PRECISION } from './decimal.ts'

/** What is known about a decimal column after its values went by: its width and its exact sum. */
export interface DecimalTotals {
  /**
   * Digits before the point and after it that carry value: leading and trailing zeros do not count.
   */
  wholeDigits: number
  scale: number
  /** Some value is not in plain digits, so that writers have to rewrite it. */
  rewritten: boolean
  /** Some value is not a decimal. */
  broken: boolean
  /**
   * Sums by number of fraction digits: safe integers first, moved over to `large` before they grow
   * unsafe.
   */
  small: number[]
  large: bigint[]
}

export function newDecimalTotals(): DecimalTotals {
  return { wholeDigits: 0, scale: 0, rewritten: false, broken: false, small: [], large: [] }
}

/** Takes one value in. Up to 15 digits, nearly all of them, cost a few nanoseconds. */
export function addDecimal(totals: DecimalTotals, token: string): void {
  const negative = token.charCodeAt(0) === MINUS
  const start = negative ? 1 : 0
  const point = token.indexOf('.')
  const wholeEnd = point < 0 ? token.length : point
  const places = Math.max(0, token.length - wholeEnd - 1)
  if (wholeEnd + places - start > EXACT_DIGITS) return addSlowly(totals, token)
  const whole = integerIn(token, start, wholeEnd)
  const fraction = integerIn(token, wholeEnd + 1, token.length)
  if (whole < 0 || fraction < 0) return addSlowly(totals, token)
  if (whole >= POWERS[totals.wholeDigits]!) totals.wholeDigits = String(whole).length
  if (places > totals.scale && fraction > 0) widenScale(totals, fraction, places)
  const value = whole * POWERS[places]! + fraction
  addSum(totals, places, negative ? -value : value)
}

const MINUS = 45
const ZERO = 48
/** As many stay exact in a double, whatever they are. */
const EXACT_DIGITS = 15
/** One more than there are digits: whatever fits is below the last one. */
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits)

/**
 * The digits between two places as a number; -1 where something else stands there, or nothing; 0
 * where the first place lies behind the end, as that of a fraction without a point does.
 */
function integerIn(token: string, start: number, end: number): number {
  let value = start === end ? -1 : 0
  for (let index = start; index < end; index++) {
    const digit = token.charCodeAt(index) - ZERO
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

/** Zeros at the end carry no value. */
function widenScale(totals: DecimalTotals, fraction: number, places: number): void {
  let scale = places
  for (let rest = fraction; rest % 10 === 0; rest /= 10) scale--
  totals.scale = Math.max(totals.scale, scale)
}

const SAFE = 2 ** 52

function addSum(totals: DecimalTotals, places: number, value: number): void {
  const sum = (totals.small[places] ?? 0) + value
  if (Math.abs(sum) < SAFE) totals.small[places] = sum
  else {
    totals.large[places] = (totals.large[places] ?? 0n) + BigInt(sum)
    totals.small[places] = 0
  }
}

function addSlowly(totals: DecimalTotals, token: string): void {
  const plain = plainDecimal(token)
  if (plain === undefined) {
    totals.broken = true
    return
  }
  if (plain !== token) totals.rewritten = true
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  totals.wholeDigits = Math.max(totals.wholeDigits, whole.replace(/^0+/, '').length)
  totals.scale = Math.max(totals.scale, fraction.replace(/0+$/, '').length)
  const value = BigInt(whole + fraction)
  totals.large[fraction.length] =
    (totals.large[fraction.length] ?? 0n) + (plain.startsWith('-') ? -value : value)
}

/** Whether every value that went by has an exact place in the type. */
export const allFit = ({ scale, wholeDigits }: DecimalTotals, places: number): boolean =>
  scale <= places && wholeDigits <= PRECISION - places

/** Places of a sum at least. */
const USUAL_SCALE = 2

/**
 * The exact sum in plain digits, at the scale of the column's type, so that it does not depend on
 * the format.
 */
export function sumOf(totals: DecimalTotals): string {
  const scale = Math.max(USUAL_SCALE, totals.scale)
  const places = Math.max(scale, totals.small.length - 1, totals.large.length - 1)
  let sum = 0n
  for (let index = 0; index <= places; index++) {
    sum +=
      (BigInt(totals.small[index] ?? 0) + (totals.large[index] ?? 0n)) *
      10n ** BigInt(places - index)
  }
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0')
  // Beyond the scale there are only zeros: that is what the scale says.
  const fraction = digits.slice(digits.length - places).slice(0, scale)
  return `${sum < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}.${fraction}`
}
