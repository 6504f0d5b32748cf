import { STATUS_CODES } from 'node:http'

/**
 * What may be quoted of an error body: names of a known form, since anything else in it may be a
 * key that is echoed or somebody's name (INV-10). An error type is a dotted exception-style name
 * (documentation, Errors, rule 1) or the phrase of an HTTP status; a field is one of the contract.
 */

/** `partner.exceptions.NotFoundException`, `IllegalArgumentException`. */
const EXCEPTION = /^(?:[a-z][a-z\d]{0,30}\.){0,8}[A-Z][A-Za-z]{0,60}(?:Exception|Error)$/
const wordsOf = (text: string): string => text.replaceAll(/[\s_-]/g, '').toLowerCase()
const PHRASES = new Set(Object.values(STATUS_CODES).map(phrase => wordsOf(phrase!)))

const isErrorType = (text: string): boolean =>
  EXCEPTION.test(text) || PHRASES.has(wordsOf(text.slice(text.lastIndexOf('.') + 1)))

/** `cart.items[0].quantity`: each part is a name of the contract, or a number. */
const isField = (text: string, names: ReadonlySet<string>): boolean =>
  text.length <= 120 &&
  text
    .split(/[.[\]]+/)
    .filter(part => part !== '')
    .every(part => /^\d{1,5}$/.test(part) || names.has(part))

/**
 * What kind of error, and which field, of those `names`; from the documented and the public shape,
 * one or a list.
 */
export function errorWords(text: string, names: ReadonlySet<string>): string {
  if (/^\s*</.test(text)) return 'an HTML page'
  const first = firstOf(parsed(text))
  if (first === undefined) return ''
  const type = first['errorType'] ?? first['error']
  const { field } = first
  return [
    ...(typeof type === 'string' && isErrorType(type) ? [type] : []),
    ...(typeof field === 'string' && field !== '' && isField(field, names) ? [field] : []),
  ].join(', ')
}

/** `{errorType, field, message}`, `list of {...}`: these names only, others as `...`. */
export function errorShape(text: string, names: ReadonlySet<string>): string {
  const value = parsed(text)
  if (value === undefined) return text.trim() === '' ? 'no body' : 'not JSON'
  const first = firstOf(value)
  const shown =
    first === undefined ? typeof (Array.isArray(value) ? value[0] : value) : braced(first, names)
  return Array.isArray(value) ? `list of ${shown}` : shown
}

function braced(record: Record<string, unknown>, names: ReadonlySet<string>): string {
  const all = Object.keys(record)
  const shown = all.filter(name => names.has(name)).toSorted()
  return `{${[...shown, ...(shown.length < all.length ? ['...'] : [])].join(', ')}}`
}

function firstOf(value: unknown): Record<string, unknown> | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'object' && first !== null
    ? (first as Record<string, unknown>)
    : undefined
}

/** Undefined where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
