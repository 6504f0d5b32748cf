/**
 * Records keep their tokens: an integer beyond 2^53 and a decimal of thirty digits go back to the
 * API as they came (INV-6). Numbers are carried as `JSON.rawJSON` tokens; nothing here computes
 * with them.
 */

declare global {
  interface JSON {
    /** A token that goes through `JSON.stringify` as it is (ECMAScript, Node 22 and later). */
    rawJSON(text: string): object
  }
}

/** A value of JSON whose numbers are tokens. */
export type Json = unknown
export type JsonRecord = Readonly<Record<string, Json>>

/** JSON text to values whose numbers keep their digits. Throws a SyntaxError for anything else. */
export function parseExact(text: string): Json {
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined
      ? JSON.rawJSON(context.source)
      : value
  return JSON.parse(text, keep)
}

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isToken(value)

/** A number token as its text; undefined for anything else. */
export function tokenOf(value: Json): string | undefined {
  if (typeof value === 'number') return String(value)
  return isToken(value) ? value.rawJSON : undefined
}

const isToken = (value: unknown): value is { rawJSON: string } =>
  typeof value === 'object' && value !== null && 'rawJSON' in value && Object.isFrozen(value)

/** What stands at a path; undefined where nothing does. */
export function valueAt(record: JsonRecord, path: readonly string[]): Json {
  let value: unknown = record
  for (const step of path) {
    if (!isRecord(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

/** The record with another value at a path; undefined takes it away. The record itself stays. */
export function withValueAt(record: JsonRecord, path: readonly string[], value: Json): JsonRecord {
  const [step, ...rest] = path
  if (step === undefined) return record
  const inner = record[step]
  const next = rest.length === 0 ? value : withValueAt(isRecord(inner) ? inner : {}, rest, value)
  if (next !== undefined) return { ...record, [step]: next }
  const { [step]: _, ...others } = record
  return others
}

/** Nothing, in any of the ways in which APIs write it. */
export const isEmpty = (value: Json): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/**
 * The same text for the same content, whatever the order of fields; digits count, not values. Plans
 * and receipts keep hashes of it.
 */
export function canonicalJson(value: Json): string {
  const token = tokenOf(value)
  if (token !== undefined) return token
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const fields = Object.keys(value)
    .toSorted()
    .map(field => `${JSON.stringify(field)}:${canonicalJson(value[field])}`)
  return `{${fields.join(',')}}`
}

/** Whether two values are the same JSON, whatever the order of their fields. */
export const sameJson = (one: Json, other: Json): boolean =>
  canonicalJson(one) === canonicalJson(other)
