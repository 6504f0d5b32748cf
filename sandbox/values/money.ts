/**
 * Money is whole cents inside and a JSON number with two digits on the wire: `12.50`, not `12.5`.
 */
import { invalid } from '../http/api-error.ts'

declare global {
  interface JSON {
    /**
     * A number token that keeps its digits through `JSON.stringify` (ECMAScript, Node 22 and
     * later).
     */
    rawJSON(text: string): object
  }
}

const remembered: string[] = []

function write(cents: number): string {
  if (!Number.isFinite(cents)) throw invalid('body', 'An amount is larger than a number can be')
  // Beyond 1e21 a number would be written with an exponent.
  const digits = (
    Number.isSafeInteger(cents)
      ? String(Math.abs(cents))
      : String(BigInt(Math.round(Math.abs(cents))))
  ).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Cents as a JSON number token. Small amounts come back so often that they are remembered. */
export function money(cents: number): string {
  if (cents >= 0 && cents < 65536) return (remembered[cents] ??= write(cents))
  return write(cents)
}

/** The same for values that go through `JSON.stringify`. */
export const decimal = (hundredths: number): object => JSON.rawJSON(money(hundredths))

/** `amount * basisPoints / 10000`, rounded half away from zero, as tax tables are. */
export function share(amount: number, basisPoints: number): number {
  const exact = Math.abs(amount) * basisPoints
  const rounded = Math.floor((exact + 5000) / 10000)
  return amount < 0 ? -rounded : rounded
}

/**
 * JSON text to values whose numbers keep their digits, so that an edited record differs only where
 * it was edited.
 */
export function parseExactly(text: string): unknown {
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined
      ? JSON.rawJSON(context.source)
      : value
  return JSON.parse(text, keep)
}

/** A number, be it plain or a token that kept its digits; undefined for anything else. */
export function readNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'object' && value !== null && 'rawJSON' in value
      ? Number(value.rawJSON)
      : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** The hundredths in a number of a record or a body, rounded; undefined for anything else. */
export function cents(value: unknown): number | undefined {
  const number = readNumber(value)
  return number === undefined ? undefined : Math.round(Number((number * 100).toPrecision(15)))
}
