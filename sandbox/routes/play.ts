import { z } from 'zod'
import type { OperationId } from '../../connectors/partner/contract/index.ts'
import { operation } from '../../connectors/partner/contract/index.ts'
import type { Operation, RequestBody } from '../../connectors/partner/contract/operation.ts'
import { invalid } from '../http/api-error.ts'
import { checkQuery } from '../http/check-query.ts'
import { withoutNulls } from '../http/without-nulls.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call, Route } from './route.ts'

interface Manner {
  /**
   * Fields that are not sent stay as they were: nothing is required, and no default is filled in.
   */
  merges?: true
}

/**
 * An operation of the contract: method, path, permission, parameters, required fields, enumerations
 * and documented defaults are the contract's. `answer` gets parameters and a body that were
 * checked, the body with the defaults filled in.
 */
export function play(id: OperationId, answer: Route['answer'], manner: Manner = {}): Route {
  const { method, path, needs, query, body }: Operation = operation(id)
  const permission = needs.find(need => need === 'PERFORM_RECONCILIATION')
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    answer(call) {
      if (query !== undefined) checkQuery(query, call.query)
      return answer(body === undefined ? call : checked(call, body, manner.merges ?? false))
    },
    ...(permission === undefined ? {} : { permission }),
    takesList: body?.kind === 'json' ? takesList(body.schema.type) : false,
  }
}

function takesList(type: string): boolean | 'either' {
  return EITHER.has(type) ? 'either' : type === 'array'
}

/** Bodies that are one record or a list of them. */
const EITHER: ReadonlySet<string> = new Set(['union', 'unknown'])

function checked(given: Call, { schema }: RequestBody, merges: boolean): Call {
  const call = sentIn(given, schema)
  const isList = schema.type === 'array' || call.plainItems.length > 0
  const sent = isList ? call.plainItems : call.body
  if (!call.hasBody && !schema.safeParse({}).success) throw invalid('body', 'The body is required')
  const { success, data, error } = schema.safeParse(sent)
  if (!success) {
    const issue = error.issues.find(one => !(merges && isMissing(one, sent)))
    if (issue !== undefined) throw refusal(issue, sent)
    return call
  }
  if (merges) return call
  if (isList) return { ...call, items: fill(call.items, data) as JsonRecord[] }
  return {
    ...call,
    body: fill(call.body, data) as JsonRecord,
    exact: fill(call.exact, data) as JsonRecord,
  }
}

/** What was sent of the documented fields: null is as good as missing. */
function sentIn(call: Call, schema: z.ZodType): Call {
  const list = schema.type === 'array' ? schema : z.array(schema)
  return {
    ...call,
    body: withoutNulls(schema, call.body) as JsonRecord,
    exact: withoutNulls(schema, call.exact) as JsonRecord,
    plainItems: withoutNulls(list, call.plainItems) as JsonRecord[],
    items: withoutNulls(list, call.items) as JsonRecord[],
  }
}

function refusal(issue: z.core.$ZodIssue, sent: unknown): Error {
  const field = issue.path.join('.')
  if (isMissing(issue, sent)) return invalid(field, `${field} is required`)
  const [place, subject] = field === '' ? ['body', 'The body'] : [field, field]
  return invalid(place, `${subject} is not valid${validValues(issue)}`)
}

function validValues(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `; valid are ${issue.values.map(String).join(', ')}`
  return issue.code === 'invalid_type' ? `; it must be ${issue.expected}` : ''
}

/** A field that is not there; an item of a list that is null is there. */
function isMissing({ path }: z.core.$ZodIssue, sent: unknown): boolean {
  const value = path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key],
    sent,
  )
  return typeof path.at(-1) === 'string' && value === undefined
}

/** What was sent, in its own digits, with the defaults that the schema added. */
function fill(sent: unknown, parsed: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(parsed))
    return sent.map((item, at) => fill(item, parsed[at]))
  if (!isPlain(sent) || !isPlain(parsed)) return sent
  const filled = Object.entries(parsed).map(([key, value]): [string, unknown] => [
    key,
    Object.hasOwn(sent, key) ? fill(sent[key], value) : value,
  ])
  return { ...sent, ...Object.fromEntries(filled) }
}

const isPlain = (value: unknown): value is JsonRecord =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('rawJSON' in value) &&
  !(value instanceof File)
