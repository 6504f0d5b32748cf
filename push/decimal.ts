import { plainDecimal } from '../exports/decimal.ts'

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
