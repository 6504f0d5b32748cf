/**
 * Decimals as text (INV-6): plain digits, the narrowest column type that holds them all, and exact
 * sums. Nothing here ever goes through a double that could round; the one number used is an integer
 * below 2^53.
 */

/**
 * More digits than any decimal column of any tool; `1e999999999` must not become a gigabyte of
 * zeros.
 */
const MAX_DIGITS = 1000

const TOKEN = /^([-+]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/

/**
 * A decimal token in plain digits: `1e-7` -> `0.0000001`, `1.50e1` -> `15.0`, `+.5` -> `0.5`. A
 * token that is plain already comes back as it is, `-0.00` and `007.10` included. `undefined` if it
 * is not a decimal at all.
 */
export function plainDecimal(token: string): string | undefined {
  const match = TOKEN.exec(token)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent] = match
  const minus = sign === '-' ? '-' : ''
  if (exponent === undefined)
    return `${minus}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
  const digits = whole + fraction
  if (/^0*$/.test(digits)) return `${minus}0`
  const point = whole.length + Number(exponent)
  if (Math.abs(point) > MAX_DIGITS || digits.length > MAX_DIGITS) return undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const cut = Math.max(point, 1)
  const rest = padded.slice(cut)
  return `${minus}${padded.slice(0, cut).replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`
}

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

const SAFE = 2 ** 52

/**
 * Takes one value in. Up to 15 digits, nearly all of them, cost a few nanoseconds; the rest goes
 * through BigInt.
 */
export function addDecimal(totals: DecimalTotals, token: string): void {
  let value = 0
  let digits = 0
  let point = -1
  let whole = 0
  let scale = 0
  const start = token.charCodeAt(0) === 45 ? 1 : 0
  for (let index = start; index < token.length; index++) {
    const code = token.charCodeAt(index)
    if (code >= 48 && code <= 57) {
      value = value * 10 + code - 48
      digits++
      if (point >= 0) {
        if (code !== 48) scale = index - point
      } else if (value > 0) whole++
    } else if (code === 46 && point < 0 && digits > 0 && index < token.length - 1) point = index
    else return addSlowly(totals, token)
  }
  if (digits === 0 || digits > 15) return addSlowly(totals, token)
  if (whole > totals.wholeDigits) totals.wholeDigits = whole
  if (scale > totals.scale) totals.scale = scale
  const places = point < 0 ? 0 : token.length - 1 - point
  const sum = (totals.small[places] ?? 0) + (start === 1 ? -value : value)
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

/** Digits of every decimal column in Parquet: declared, and the same in each file. */
const PRECISION = 18
/** Places of a sum at least. */
const USUAL_SCALE = 2

/** The type of a column of so many places after the point. */
export const decimalType = (places: number): string => `DECIMAL(${PRECISION},${places})`

/** Whether every value that went by has an exact place in the type. */
export const allFit = ({ scale, wholeDigits }: DecimalTotals, places: number): boolean =>
  scale <= places && wholeDigits <= PRECISION - places

/**
 * A decimal in the digits of its type: rounded half away from zero where it has more places, and
 * nothing where its whole digits are too many. `exact` says whether it is the same value.
 */
export function fitDecimal(
  token: string,
  places: number,
): { text: string | null; exact: boolean } | undefined {
  const plain = plainDecimal(token)
  if (plain === undefined) return undefined
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  const kept = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  const isUp = (fraction[places] ?? '0') >= '5'
  const digits = (isUp ? kept + 1n : kept).toString().padStart(places + 1, '0')
  const exact = /^0*$/.test(fraction.slice(places))
  if (digits.length > PRECISION) return { text: null, exact: false }
  const cut = digits.length - places
  const sign = plain.startsWith('-') ? '-' : ''
  return { text: `${sign}${digits.slice(0, cut)}.${digits.slice(cut)}`, exact }
}

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
  return `${sum < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places).slice(0, scale)}`
}
