import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { PartnerError } from '../../errors.ts'
import { quoteRefusal } from './quote-refusal.ts'
import type { PartnerAnswer } from './request.ts'

export const NOT_API_REMEDY =
  'Check baseUrl in tillage.yaml: it must be the address of the API itself, ' +
  'not of a web page in front of it.'

/** A refused request: how it is named, and whether it would have changed something. */
interface RefusedRequest {
  name: string
  isWrite: boolean
  /** What the API said, of a read of which that may be told. */
  said?: string | undefined
}

/**
 * What an answer other than a success means. `remedy` is what to do where the request itself is at
 * fault. Of a write, the error holds what the API said, too.
 */
export async function refusal(
  { name: request, isWrite, said: told }: RefusedRequest,
  { status, headers, body }: PartnerAnswer,
  remedy: string,
): Promise<PartnerError> {
  const text = body.subarray(0, 2000).toString('utf8')
  const names = await contractNames()
  const said = errorWords(text, names)
  const refused = { status, shape: errorShape(text, names) }
  const details = { refused, said: isWrite ? quoteRefusal(body) : told }
  const message = [`${request} answered ${status}`, said].filter(part => part !== '').join(': ')
  const retryAfterMs = parseRetryAfter(headers['retry-after'], timeOf(headers['date']))
  const wait = { ...details, ...(retryAfterMs === undefined ? {} : askedToWait(retryAfterMs)) }
  if (status === 401)
    return new PartnerError('PARTNER_KEYS', message, {
      ...details,
      remedy:
        'Check partnerKey and developerKey of this store in tillage.yaml. ' +
        'The developer key goes in as it is, without "Bearer". ' +
        'A worker that is running reads with the keys of the shell that it was started in.',
    })
  if (status === 403)
    return new PartnerError('PARTNER_PERMISSION', message, {
      ...details,
      remedy:
        'Ask the platform for the permission that this partner key lacks; ' +
        'the other streams may work without it.',
    })
  if (status === 429) return new PartnerError('PARTNER_RATE_LIMIT', message, wait)
  // 408 and 425 say that the same request may succeed later.
  if (status >= 500 || status === 408 || status === 425)
    return new PartnerError('PARTNER_UNAVAILABLE', message, wait)
  if (status >= 400) return new PartnerError('PARTNER_REFUSED', message, { ...details, remedy })
  const unexpected = `${message}${describeRedirect(headers['location'])}; expected 200`
  return new PartnerError('PARTNER_NOT_API', unexpected, { remedy: NOT_API_REMEDY })
}

/** What the API asked for with `Retry-After`. */
export const askedToWait = (retryAfterMs: number): { retryAfterMs: number; remedy: string } => ({
  retryAfterMs,
  remedy: `The API asks to be left alone for ${Math.ceil(retryAfterMs / 1000)} s.`,
})

/**
 * Where a redirect leads, which is often what baseUrl should say. It is not followed: the keys are
 * for the address that somebody wrote. Paths may hold what identifies people.
 */
function describeRedirect(location: string | string[] | undefined): string {
  const target = typeof location === 'string' ? URL.parse(location, `http://${SAME_HOST}`) : null
  if (target === null || !/^https?:$/.test(target.protocol)) return ''
  return `, a redirect to ${target.host === SAME_HOST ? 'another path there' : target.origin}`
}

/** Where a redirect names no host. No host can have this name (RFC 6761, 6.4). */
const SAME_HOST = 'same.invalid'

/** What time the API says it is: a date of its own counts from there, whatever our clock says. */
function timeOf(date: string | string[] | undefined): number | undefined {
  const ms = Date.parse(String(date))
  return Number.isNaN(ms) ? undefined : ms
}

/** A longer pause means a wrong clock, or for ever; asking once an hour is right for both. */
const LONGEST_RETRY_AFTER_MS = 3_600_000

/**
 * Seconds or an HTTP date (RFC 9110, 10.2.3). Of "now" from somebody who refuses nothing is
 * believed: asked again at once, such an API would be given up within seconds.
 */
export function parseRetryAfter(
  header: string | string[] | undefined,
  nowMs = Date.now(),
): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined
}

/**
 * What may be quoted of an error body: names of a known form, since anything else in it may be a
 * key that is echoed or somebody's name (INV-10). An error type is a dotted exception-style name
 * (documentation, Errors, rule 1) or the phrase of an HTTP status; a field is one of the contract.
 */
const isErrorType = (text: string): boolean =>
  EXCEPTION.test(text) || PHRASES.has(wordsOf(text.slice(text.lastIndexOf('.') + 1)))

/** `partner.exceptions.NotFoundException`, `IllegalArgumentException`. */
const EXCEPTION = /^(?:[a-z][a-z\d]{0,30}\.){0,8}[A-Z][A-Za-z]{0,60}(?:Exception|Error)$/
const wordsOf = (text: string): string => text.replaceAll(/[\s_-]/g, '').toLowerCase()
const PHRASES = new Set(Object.values(STATUS_CODES).map(phrase => wordsOf(phrase!)))

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
function errorWords(text: string, names: ReadonlySet<string>): string {
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
function errorShape(text: string, names: ReadonlySet<string>): string {
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

let names: Promise<ReadonlySet<string>> | undefined

/**
 * Every name of a parameter or field in the contract, which is loaded for it the first time: a
 * process that only waits does without its six megabytes.
 */
export const contractNames = (): Promise<ReadonlySet<string>> => (names ??= collectAll())

async function collectAll(): Promise<ReadonlySet<string>> {
  const { operations } = await import('./contract/index.ts')
  const found = new Set(NAMES_OF_ERRORS)
  const seen = new Set<unknown>()
  for (const { path, query, body, answer } of operations) {
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) found.add(name!)
    const schemas = [query, body?.schema, 'of' in answer ? answer.of : undefined]
    if (answer.kind === 'record') schemas.push(answer.schema)
    for (const schema of schemas) collectNames(schema, found, seen)
  }
  return found
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
