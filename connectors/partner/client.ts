import { gunzipSync, inflateSync } from 'node:zlib'
import { Pool } from 'undici'
import { PartnerError } from '../../errors.ts'

export interface PartnerCredentials {
  baseUrl: string
  partnerKey: string
  developerKey: string
}

/** One request: credentials, timeout, answer -> bytes or error. No retries, no paging, no parsing of success. */
export interface PartnerClient {
  get(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Buffer>
  close(): Promise<void>
}

export interface ClientOptions {
  /** No header for this long, or no byte of the body for this long, is a failure. */
  timeoutMs?: number
}

/**
 * Both credentials travel as headers: `x-api-key`, and the bare developer key in `Authorization`
 * (documentation, Authentication). They never appear in an error, whatever the API echoes.
 */
export function createPartnerClient(credentials: PartnerCredentials, options: ClientOptions = {}): PartnerClient {
  const timeoutMs = options.timeoutMs ?? 30_000
  const base = new URL(credentials.baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool(base.origin, { connections: 64, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: Math.min(timeoutMs, 10_000) })
  const headers = { 'x-api-key': credentials.partnerKey, authorization: credentials.developerKey, accept: 'application/json', 'accept-encoding': 'gzip' }

  return {
    async get(path, query, signal) {
      const search = new URLSearchParams(query).toString()
      const asked = `${path}${search === '' ? '' : `?${search}`}`
      // A path in front of the API's own may be as good as a key; errors show the server and what was asked of the API.
      const request = `GET ${asked} of ${base.origin}`
      let status: number
      let answerHeaders: Record<string, string | string[] | undefined>
      let body: Buffer
      try {
        const answer = await pool.request({ method: 'GET', path: `${prefix}${asked}`, headers, ...(signal === undefined ? {} : { signal }) })
        status = answer.statusCode
        answerHeaders = answer.headers
        body = decompress(Buffer.from(await answer.body.arrayBuffer()), String(answerHeaders['content-encoding'] ?? ''))
      } catch (cause) {
        if (signal?.aborted === true) throw cause
        throw unreachable(request, cause)
      }
      if (status === 200) return body
      throw refusal(request, status, answerHeaders, body.subarray(0, 2000).toString('utf8'))
    },
    close: () => pool.close(),
  }
}

/** A large chunk size halves the time that inflating takes. */
function decompress(body: Buffer, encoding: string): Buffer {
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(body, { chunkSize: 512 * 1024 })
  return encoding === 'deflate' ? inflateSync(body, { chunkSize: 512 * 1024 }) : body
}

function unreachable(request: string, cause: unknown): PartnerError {
  const code = (cause as { code?: unknown }).code
  const what = typeof code === 'string' ? code : (cause as Error).name
  return new PartnerError('PARTNER_UNREACHABLE', `${request} got no whole answer (${what}).`, {
    remedy: 'Check baseUrl in tillage.yaml and that the API is up; the run goes on by itself when it is back.',
  })
}

function refusal(request: string, status: number, headers: Record<string, string | string[] | undefined>, body: string): PartnerError {
  const said = saysWhat(body)
  const refused = { status, shape: shapeOfError(body) }
  const message = `${request} answered ${status}${said === '' ? '' : `: ${said}`}`
  const retryAfterMs = parseRetryAfter(headers['retry-after'])
  const wait = { refused, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 401) return new PartnerError('PARTNER_KEYS', message, { refused, remedy: 'Check partnerKey and developerKey of this store in tillage.yaml. The developer key goes in as it is, without "Bearer".' })
  if (status === 403) return new PartnerError('PARTNER_PERMISSION', message, { refused, remedy: 'Ask the platform for the permission that this partner key lacks; the other streams may work without it.' })
  if (status === 429) return new PartnerError('PARTNER_RATE_LIMIT', message, wait)
  // 408 and 425 say that the same request may succeed later.
  if (status >= 500 || status === 408 || status === 425) return new PartnerError('PARTNER_UNAVAILABLE', message, wait)
  if (status >= 400) return new PartnerError('PARTNER_REFUSED', message, { refused, remedy: 'The API refuses this request; the other windows go on. If it refuses all of them, check baseUrl.' })
  return new PartnerError('PARTNER_NOT_API', `${message}; expected 200`, { remedy: NOT_API_REMEDY })
}

export const NOT_API_REMEDY = 'Check baseUrl in tillage.yaml: it must be the address of the API itself, not of a web page in front of it.'

/**
 * The names in an error body, from the documented and the public shape, one or a list: what kind of error, and which field.
 * The free text beside them is not quoted: it may echo a key, or say a person's name (INV-10).
 */
function saysWhat(text: string): string {
  if (/^\s*</.test(text)) return 'an HTML page'
  try {
    const parsed: unknown = JSON.parse(text)
    const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    if (typeof first !== 'object' || first === null) return ''
    const { errorType, error, field } = first as Record<string, unknown>
    return [errorType ?? error, field].filter((name): name is string => typeof name === 'string' && NAME.test(name)).join(', ')
  } catch {
    return ''
  }
}

/** `{field, message, errorType}`, `list of {...}`: the names of fields only. */
function shapeOfError(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text)
    const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    const names = typeof first === 'object' && first !== null ? `{${Object.keys(first).filter((name) => NAME.test(name)).toSorted().join(', ')}}` : typeof first
    return Array.isArray(parsed) ? `list of ${names}` : names
  } catch {
    return text.trim() === '' ? 'no body' : 'not JSON'
  }
}

/** `com.example.BadRequest`, `Too Many Requests`, `startDate`; nothing that could be a key or a number of somebody. */
const NAME = /^[A-Za-z][A-Za-z ._$-]{0,79}$/

/** Seconds or an HTTP date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | string[] | undefined, nowMs = Date.now()): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
