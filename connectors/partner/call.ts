import type { z } from 'zod'
import { PartnerError } from '../../errors.ts'
import { buildRequest } from './build-request.ts'
import type { Consumer } from './build-request.ts'
import type { PartnerClient } from './client.ts'
import type { Contract, OperationId } from './contract/index.ts'
import type { AnswerShape, Operation, PathParameter } from './contract/operation.ts'
import {
  errorFieldsIn,
  isErrorBody,
  isErrorItem,
  listIn,
  readTotal,
  refusesEmptyList,
} from './envelopes.ts'
import { NOT_API_REMEDY, refusal } from './refusal.ts'
import { describeRequest } from './request.ts'
import type { PartnerAnswer } from './request.ts'

/**
 * Answers are checked for their envelope, not field by field: what is read may lack anything, and
 * have more.
 */
type Read<S> = S extends z.ZodType ? z.input<S> : never

export interface List<T> {
  items: T[]
  /** How many there are in all; null where the API does not say. */
  total: number | null
}

type Value<A> = A extends { kind: 'record'; schema: infer S }
  ? Read<S> | (A extends { orNone: true } ? undefined : never)
  : A extends { kind: 'page' | 'values' | 'array'; of: infer S }
    ? List<Read<S>>
    : A extends { kind: 'binary' }
      ? Buffer
      : A extends { kind: 'html' }
        ? string
        : undefined

type QueryOf<O> = O extends { query: infer Q } ? Read<Q> : unknown
type PathOf<O> = O extends { path: infer P extends string }
  ? { [Name in PathParameter<P>]: string }
  : never
type BodyOf<O> = O extends { body: { schema: infer S } } ? { body?: Read<S> | string } : unknown

/**
 * What a call of an operation takes, by the contract. A body may also be JSON text, which goes out
 * digit by digit.
 */
export type ArgumentsOf<Id extends OperationId> = {
  parameters?: PathOf<Contract[Id]> & QueryOf<Contract[Id]>
  consumer?: Consumer
} & BodyOf<Contract[Id]> &
  (keyof PathOf<Contract[Id]> extends never ? unknown : { parameters: PathOf<Contract[Id]> })

export interface CallResult<Id extends OperationId> {
  value: Value<Contract[Id]['answer']>
  /** The answer as it came; in `value`, whole numbers that no double holds are texts (INV-6). */
  body: Buffer
  contentType: string
  /** For how long a file may be kept: what the answer says, else what the documentation says. */
  cacheSeconds?: number
  /** The access token of a consumer login. */
  authToken?: string
}

const REMEDY =
  'Compare the parameters and the body with the contract: openapi.json, or tillage api --list.'

/**
 * Calls one operation of the contract, once. Throws a PartnerError for anything but a success of
 * the documented shape (INV-4).
 */
export async function call<const Id extends OperationId>(
  client: PartnerClient,
  id: Id,
  given: ArgumentsOf<Id>,
  signal?: AbortSignal,
): Promise<CallResult<Id>> {
  const { operation } = await import('./contract/index.ts')
  const asked: Operation = operation(id)
  const request = buildRequest(asked, given)
  const answer = await client.send(request, signal)
  const name = describeRequest(request, client.origin)
  const isWrite = asked.method !== 'GET'
  if (!isSuccess(asked.answer, answer)) throw await refusal({ name, isWrite }, answer, REMEDY)
  const value = readValue(asked.answer, answer, name) as Value<Contract[Id]['answer']>
  const cacheSeconds =
    /\bmax-age=(\d+)/.exec(textOf(answer, 'cache-control'))?.[1] ??
    (asked.answer.kind === 'binary' ? asked.answer.cacheSeconds : undefined)
  const authToken = textOf(answer, 'x-auth-token')
  return {
    value,
    body: answer.body,
    contentType: textOf(answer, 'content-type'),
    ...(cacheSeconds === undefined ? {} : { cacheSeconds: Number(cacheSeconds) }),
    ...(authToken === '' ? {} : { authToken }),
  }
}

/** 200; 204 only where no body is documented. */
export const isSuccess = (shape: AnswerShape, { status }: PartnerAnswer): boolean =>
  status === 200 ||
  (status === 204 && (shape.kind === 'none' || (shape.kind === 'record' && shape.orNone === true)))

const textOf = ({ headers }: PartnerAnswer, name: string): string => String(headers[name] ?? '')

/** What an answer of a success holds, or why it is none. */
export function readValue(
  shape: AnswerShape,
  { body, headers }: PartnerAnswer,
  name: string,
): unknown {
  if (shape.kind === 'none') return undefined
  if (shape.kind === 'html') return body.toString('utf8')
  if (shape.kind === 'binary') {
    if (String(headers['content-type'] ?? '').startsWith('application/json'))
      throw wrongAnswer(name, parse(body, name))
    return body
  }
  if (shape.kind === 'record') return readRecord(shape, body, name)
  return readList(parse(body, name), name)
}

function readRecord(
  { orNone, schema }: Extract<AnswerShape, { kind: 'record' }>,
  body: Buffer,
  name: string,
): unknown {
  if (body.length === 0 && orNone) return undefined
  const value = parse(body, name)
  if (schema.type !== 'object' || isRecord(value)) return value
  throw wrongAnswer(name, value)
}

function parse(body: Buffer, name: string): unknown {
  const text = body.toString('utf8')
  if (/^\s*</.test(text))
    throw new PartnerError(
      'PARTNER_NOT_API',
      `${name} answered an HTML page under status 200, not JSON`,
      { remedy: NOT_API_REMEDY },
    )
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw new PartnerError(
      'PARTNER_TRUNCATED',
      `${name} answered something that is cut off or not JSON (${body.length} bytes)`,
    )
  }
  if (isError(value)) throw errorBody(name)
  return value
}

/**
 * JSON in which a whole number that a double does not hold is a text, digit by digit: an id must go
 * back as it came (INV-6).
 */
function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && isRounded(value, source) ? source : value,
  )
}

const isRounded = (value: number, source: string): boolean =>
  /^-?\d{16,}$/.test(source) && String(value) !== source

const errorBody = (name: string): PartnerError =>
  new PartnerError('PARTNER_ERROR_BODY', `${name} answered an error body under status 200`)

/** Any of the known envelopes; the one of a list without pages may be any of them too. */
function readList(value: unknown, name: string): List<unknown> {
  const items = listIn(value)
  if (items === undefined) throw wrongAnswer(name, value)
  const fields = errorFieldsIn(items.length === 0 ? value : items[0])
  const isBad = items.length === 0 ? refusesEmptyList : isErrorItem
  if (fields !== undefined && isBad(fields)) throw errorBody(name)
  return { items, total: readTotal((value as { total?: unknown }).total) }
}

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An error body, or a list that begins with one. */
function isError(value: unknown): boolean {
  const fields = errorFieldsIn(Array.isArray(value) ? value[0] : value)
  if (fields === undefined) return false
  return Array.isArray(value) ? isErrorItem(fields) : isErrorBody(fields)
}

function wrongAnswer(name: string, value: unknown): PartnerError {
  const what = describeJson(value)
  return new PartnerError(
    'PARTNER_ENVELOPE',
    `${name} answered ${what}, which is not what this operation answers`,
    { remedy: 'It was not treated as an empty answer. Look at it with tillage api.' },
  )
}

function describeJson(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : `JSON of type ${typeof value}`
}
