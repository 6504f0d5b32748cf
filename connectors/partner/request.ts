import type { FormData } from 'undici'

/** What is sent, besides the credentials. A repeated parameter stands in `query` more than once. */
export interface PartnerRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From `/api/v1`, its parameters filled in and escaped. */
  path: string
  /**
   * The same with its parameters in braces, for errors: an address in a path must not stand there.
   */
  redactedPath?: string
  query?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  headers?: Readonly<Record<string, string>>
  body?: string | FormData
  /** Without keys: for the one operation that takes none. */
  anonymous?: boolean
}

/** How errors show a request where its own path or query holds the id of somebody (INV-10). */
export interface RedactedRequest {
  /** With its parameters in braces. */
  path: string
  query: Readonly<Record<string, string>>
}

export interface PartnerAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

/** The query as it goes out, with its question mark; empty where there is none. */
export const searchOf = ({ query }: Pick<PartnerRequest, 'query'>): string => {
  const search = new URLSearchParams(query as Record<string, string>).toString()
  return search === '' ? '' : `?${search}`
}

/**
 * How errors name the server of a base address. A path in front of the API's own may be secret, so
 * they say that there is one, and do not show it.
 */
export function describeServer(baseUrl: string): string {
  const { origin } = new URL(baseUrl)
  return prefixOf(baseUrl) === '' ? origin : `${origin}, below the path in baseUrl,`
}

/** What a base address puts in front of the path of each request. */
export const prefixOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

/** How the path of each request begins; the longest first. */
const BEGINS = ['/api/v1/partner', '/api/v1', '/api']

/** The end of a base address with which the path of each request begins, too; mostly none. */
export const repeatedBegin = (baseUrl: string): string | undefined =>
  BEGINS.find(begin => prefixOf(baseUrl).toLowerCase().endsWith(begin))

/** `server` is what `describeServer` says. */
export const describeRequest = (request: PartnerRequest, server: string): string =>
  `${request.method} ${request.redactedPath ?? `${request.path}${searchOf(request)}`} of ${server}`

/**
 * A value as one segment of a path; undefined where that would be another path: of nothing, and of
 * dots, even escaped.
 */
export const pathSegment = (value: string): string | undefined =>
  ['', '.', '..'].includes(value) ? undefined : encodeURIComponent(value)
