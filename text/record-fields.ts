import type { Amount } from '../money/amount.ts'
import { magnitude, sum, toAmount } from '../money/amount.ts'

/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * A number of 16 digits or more, which a double may not hold; ids of as many digits stand in
 * quotes.
 */
const LONG_NUMBER = /(?:^|[:,[])\s*-?\d(?:\.?\d){15}/

const LONG = 16

/**
 * Whether there may be such a number, found much faster: a run of so many digits lies under one of
 * every 16th character, and letters or a quote, as before an id, make it none.
 */
function mayHaveLongNumber(raw: string): boolean {
  for (let place = LONG - 1; place < raw.length; place += LONG) {
    if (!isOfNumber(raw.charCodeAt(place))) continue
    let start = place
    while (isOfNumber(raw.charCodeAt(start - 1))) start--
    while (isOfNumber(raw.charCodeAt(place + 1))) place++
    if (place - start + 1 >= LONG && BEFORE_NUMBERS.includes(raw.charAt(start - 1))) return true
  }
  return false
}

const BEFORE_NUMBERS = ':,[- \t\r\n'
const POINT = 46
const ZERO = 48
const NINE = 57

const isOfNumber = (code: number): boolean => (code >= ZERO && code <= NINE) || code === POINT

/**
 * Parses a record so that every number keeps its value (INV-6): those that a double may not hold
 * come as text.
 */
export function parseRecord(raw: string): Fields {
  if (!mayHaveLongNumber(raw) || !LONG_NUMBER.test(raw)) return fieldsOf(JSON.parse(raw))
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && LONG_NUMBER.test(context.source)
      ? context.source
      : value
  return fieldsOf(JSON.parse(raw, keep))
}

const NOTHING: Fields = {}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : NOTHING
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that is not empty; ids may come as numbers. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

export function amountOf(value: unknown): Amount {
  return toAmount(value) ?? 0n
}

/** A number in a text, as the tables take it. */
const DIGITS = /^\s*[-+]?\d+(\.\d*)?(e[-+]?\d+)?\s*$/i

/**
 * Whole epoch milliseconds, as a number or its digits. 0 is how some servers write "never".
 */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof ms === 'number' && ms !== 0 ? Math.trunc(ms) : undefined
}

/** Says of itself that it is deleted: by a flag, or by when it was. */
export const isMarkedDeleted = ({ deleted }: Fields): boolean =>
  deleted === true || amountOf(deleted) !== 0n

/** How amounts of one kind are turned into the sign of the books. */
export type SignRule = (amount: Amount) => Amount

const asIs: SignRule = amount => amount

/** For a single figure that a refund can only take back: a total, a discount, a tax. */
export function oneSign(refund: boolean): SignRule {
  return refund ? amount => -magnitude(amount) : asIs
}

/**
 * For figures that may differ in sign among themselves, like lines of which one goes the other way:
 * all turn, or none, so that their sum is negative on a refund.
 */
export function commonSign(refund: boolean, amounts: Iterable<Amount>): SignRule {
  return refund && sum(amounts) > 0n ? amount => -amount : asIs
}
