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
 * A path in front of the API's own may be secret, so errors show the server and the API's part of
 * the path only.
 */
export const describeRequest = (request: PartnerRequest, origin: string): string =>
  `${request.method} ${request.redactedPath ?? `${request.path}${searchOf(request)}`} of ${origin}`
