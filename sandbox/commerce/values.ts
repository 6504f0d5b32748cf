import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { cents } from '../values/money.ts'

/** What a body or a record may hold where something is expected; anything else counts as absent. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('rawJSON' in value)

export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

export const recordsOf = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/**
 * Hundredths of an amount that may be absent; refused if it is no number, negative, or beyond ten
 * million.
 */
export function readAmount(value: unknown, field: string, otherwise = 0): number {
  if (value === undefined || value === null) return otherwise
  const amount = cents(value)
  if (amount === undefined || amount < 0 || amount > 1_000_000_000)
    throw invalid(field, `${field} must be a number from 0 to 10000000`)
  return amount
}

/** One of some words, without regard to case. */
export function readChoice<Word extends string>(
  value: unknown,
  field: string,
  words: readonly Word[],
  otherwise: Word,
): Word {
  const text = textOf(value)
  if (text === undefined) return otherwise
  const found = words.find(word => word.toLowerCase() === text.toLowerCase())
  if (found === undefined) throw invalid(field, `${field} must be one of ${words.join(', ')}`)
  return found
}

/** The request's cart: `cart` of a whole record, or the request itself if it has items. */
export function wantedCart(body: JsonRecord): JsonRecord {
  if (isRecord(body['cart'])) return body['cart']
  return Array.isArray(body['items']) ? body : {}
}
