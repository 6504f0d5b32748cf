import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { operations } from './contract/index.ts'

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

/** Names that error bodies themselves have, and the headers that carry the keys. */
const NAMES_OF_ERRORS = [
  'field',
  'message',
  'errorType',
  'error',
  'errors',
  'status',
  'code',
  'timestamp',
  'path',
  'Authorization',
  'x-api-key',
]

let names: Set<string> | undefined

/** Every name of a parameter or field in the contract; put together for the first error. */
function knownNames(): ReadonlySet<string> {
  if (names !== undefined) return names
  names = new Set(NAMES_OF_ERRORS)
  const seen = new Set<unknown>()
  for (const { path, query, body, answer } of operations) {
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) names.add(name!)
    const schemas = [query, body?.schema, 'of' in answer ? answer.of : undefined]
    if (answer.kind === 'record') schemas.push(answer.schema)
    for (const schema of schemas) collectNames(schema, names, seen)
  }
  return names
}

interface Definition {
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  valueType?: z.ZodType
  options?: readonly z.ZodType[]
  getter?: () => z.ZodType
}

/** Walks a schema and all that is in it; each is looked at once, since they may hold themselves. */
function collectNames(schema: z.ZodType | undefined, found: Set<string>, seen: Set<unknown>): void {
  if (schema === undefined || seen.has(schema)) return
  seen.add(schema)
  const {
    shape = {},
    element,
    innerType,
    valueType,
    options = [],
    getter,
  } = schema.def as Definition
  for (const name of Object.keys(shape)) found.add(name)
  const inner = [...Object.values(shape), element, innerType, valueType, ...options, getter?.()]
  for (const one of inner) collectNames(one, found, seen)
}

/** `cart.items[0].quantity`: each part is a name of the contract, or a number. */
const isField = (text: string): boolean =>
  text.length <= 120 &&
  text
    .split(/[.[\]]+/)
    .filter(part => part !== '')
    .every(part => /^\d{1,5}$/.test(part) || knownNames().has(part))

/** What kind of error, and which field; from the documented and the public shape, one or a list. */
export function errorWords(text: string): string {
  if (/^\s*</.test(text)) return 'an HTML page'
  const first = firstOf(parsed(text))
  if (first === undefined) return ''
  const type = first['errorType'] ?? first['error']
  const { field } = first
  return [
    ...(typeof type === 'string' && isErrorType(type) ? [type] : []),
    ...(typeof field === 'string' && field !== '' && isField(field) ? [field] : []),
  ].join(', ')
}

/** `{errorType, field, message}`, `list of {...}`: known names only, others as `...`. */
export function errorShape(text: string): string {
  const value = parsed(text)
  if (value === undefined) return text.trim() === '' ? 'no body' : 'not JSON'
  const first = firstOf(value)
  const shown =
    first === undefined ? typeof (Array.isArray(value) ? value[0] : value) : braced(first)
  return Array.isArray(value) ? `list of ${shown}` : shown
}

function braced(record: Record<string, unknown>): string {
  const all = Object.keys(record)
  const shown = all.filter(name => knownNames().has(name)).toSorted()
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
