/**
 * Decimals as text (INV-6): plain digits, and what a column's type holds of them. Nothing here goes
 * through a double.
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
  return shiftPoint(whole + fraction, whole.length + Number(exponent), minus)
}

/**
 * Digits with the point behind so many of them, which may be
 * more than there are, or less than none.
 */
function shiftPoint(digits: string, point: number, minus: string): string | undefined {
  if (/^0*$/.test(digits)) return `${minus}0`
  if (Math.abs(point) > MAX_DIGITS || digits.length > MAX_DIGITS) return undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const cut = Math.max(point, 1)
  const rest = padded.slice(cut)
  return `${minus}${padded.slice(0, cut).replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`
}

/** Plain digits without their sign, in units of 10^-places: rounded half away from zero. */
export function roundedSize(plain: string, places: number): bigint {
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  const kept = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  return (fraction[places] ?? '0') >= '5' ? kept + 1n : kept
}

/** Digits of every decimal column in Parquet: declared, and the same in each file. */
export const PRECISION = 18

/** The type of a column of so many places after the point. */
export const decimalType = (places: number): string => `DECIMAL(${PRECISION},${places})`

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
  const digits = roundedSize(plain, places)
    .toString()
    .padStart(places + 1, '0')
  const exact = /^0*$/.test((plain.split('.')[1] ?? '').slice(places))
  if (digits.length > PRECISION) return { text: null, exact: false }
  const cut = digits.length - places
  const sign = plain.startsWith('-') ? '-' : ''
  return { text: `${sign}${digits.slice(0, cut)}.${digits.slice(cut)}`, exact }
}

/** A decimal as an integer and its number of fraction digits. */
interface Scaled {
  digits: bigint
  scale: number
}

/** Exact; undefined for what is no decimal. */
function scaled(text: string): Scaled | undefined {
  const plain = plainDecimal(text.trim())
  if (plain === undefined) return undefined
  const [whole = '', fraction = ''] = plain.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}

const at = ({ digits, scale }: Scaled, to: number): bigint => digits * 10n ** BigInt(to - scale)

/** Compares by value, digit by digit: negative, 0 or positive; undefined for what is no decimal. */
export function compareDecimals(a: string, b: string): number | undefined {
  const [left, right] = [scaled(a), scaled(b)]
  if (left === undefined || right === undefined) return undefined
  const scale = Math.max(left.scale, right.scale)
  const difference = at(left, scale) - at(right, scale)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/** Whether a price moved by more than so many percent; from 0 to anything is more than any. */
export function movedByMore(from: string, to: string, percent: bigint): boolean {
  const [left, right] = [scaled(from), scaled(to)]
  if (left === undefined || right === undefined) return false
  const scale = Math.max(left.scale, right.scale)
  const [before, after] = [at(left, scale), at(right, scale)]
  const moved = after > before ? after - before : before - after
  return moved * 100n > (before < 0n ? -before : before) * percent
}

/** How far a price moves, in tenths of a percent: `+9.5 %`; undefined from 0, or for no decimal. */
export function describeMove(from: string, to: string): string | undefined {
  const [left, right] = [scaled(from), scaled(to)]
  if (left === undefined || right === undefined || left.digits <= 0n) return undefined
  const scale = Math.max(left.scale, right.scale)
  const [before, after] = [at(left, scale), at(right, scale)]
  const tenths = ((after - before) * 2000n + (after < before ? -before : before)) / (2n * before)
  const size = tenths < 0n ? -tenths : tenths
  return `${after < before ? '-' : '+'}${size / 10n}.${size % 10n} %`
}

export const isZero = (text: string): boolean => compareDecimals(text, '0') === 0

/** As a JSON number: `007.50` becomes `7.50`. */
export const asToken = (text: string): string => text.replace(/^0+(?=\d)/, '')
