import { FormData } from 'undici'
import { pathParameters } from './contract/operation.ts'
import type { Operation } from './contract/operation.ts'
import { pathSegment } from './request.ts'
import type { PartnerRequest } from './request.ts'

export type ParameterValue = string | number | boolean | readonly string[] | undefined

/**
 * Who the consumer is: the id, or the token that a login answered. The documentation shows
 * neither's place for sure.
 */
export interface Consumer {
  cuid?: string
  token?: string
}

/** What a call is given, besides the keys. */
export interface CallArguments {
  /** Of the path and of the query, by their names. */
  parameters?: Readonly<Record<string, ParameterValue>>
  /**
   * An object or list, or JSON text that goes out as it is; for multipart, texts and files by name.
   */
  body?: unknown
  consumer?: Consumer
}

const PAGE_TYPES = { binary: '*/*', html: 'text/html' } as const

/**
 * The request of one operation. Pure: sends nothing. A path parameter that is missing is the
 * caller's mistake.
 */
export function buildRequest(
  operation: Operation,
  { parameters = {}, body, consumer = {} }: CallArguments,
): PartnerRequest {
  const inPath = pathParameters(operation.path)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const segment = pathSegment(String(parameters[name] ?? ''))
    if (segment === undefined) throw new TypeError(`${operation.id} needs the parameter ${name}`)
    return segment
  })
  const query = Object.entries(parameters)
    .filter(([name, value]) => value !== undefined && !inPath.includes(name))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? (value as readonly string[]) : [value]).map(
        (item): [string, string] => [name, String(item)],
      ),
    )
  const { kind } = operation.answer
  const headers = {
    ...(kind === 'binary' || kind === 'html' ? { accept: PAGE_TYPES[kind] } : {}),
    ...(consumer.cuid === undefined ? {} : { cuid: consumer.cuid }),
    ...(consumer.token === undefined ? {} : { 'X-Auth-Token': consumer.token }),
  }
  return {
    method: operation.method,
    path,
    redactedPath: operation.path,
    query,
    headers,
    ...(body === undefined ? {} : { body: bodyOf(operation, body) }),
    ...(operation.needs.length === 0 ? { anonymous: true } : {}),
  }
}

function bodyOf(operation: Operation, body: unknown): string | FormData {
  if (operation.body?.kind === 'multipart') return asForm(body as Record<string, string | Blob>)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function asForm(parts: Readonly<Record<string, string | Blob | undefined>>): FormData {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string') form.append(name, part)
    else if (part !== undefined) form.append(name, part)
  }
  return form
}
