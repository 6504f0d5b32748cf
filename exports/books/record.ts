import type { Amount } from './amount.ts'
import { magnitude, sum, toAmount } from './amount.ts'

/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * A number of 16 digits or more, which a double may not hold; ids of as many digits stand in
 * quotes.
 */
const LONG_NUMBER = /(?:^|[:,[])\s*-?\d(?:\.?\d){15}/

/** Found much faster: where there is none, as in nearly every record, there is no such number. */
const LONG_RUN = /[\d.]{16}/

/**
 * Parses a record so that every number keeps its value (INV-6): those that a double may not hold
 * come as text.
 */
export function parseRecord(raw: string): Fields {
  if (!LONG_RUN.test(raw) || !LONG_NUMBER.test(raw)) return fieldsOf(JSON.parse(raw))
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

/** Epoch milliseconds, as a number or its digits. 0 is how some servers write "never". */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof ms === 'number' && ms !== 0 ? ms : undefined
}

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
