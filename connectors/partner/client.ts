import { Pool } from 'undici'
import type { Dispatcher, FormData } from 'undici'
import { PartnerError } from '../../errors.ts'
import { freeBytes } from '../free-bytes.ts'
import { createApiClock } from './api-clock.ts'
import type { ApiClock } from './api-clock.ts'
import { startDeadline } from './deadline.ts'
import type { Deadline } from './deadline.ts'
import { errorShape, errorWords } from './error-words.ts'
import type { Limits } from './governor.ts'
import { AnswerTooLarge, inflated, UnknownEncoding } from './inflate.ts'

export interface PartnerCredentials {
  baseUrl: string
  partnerKey: string
  developerKey: string
  limits?: Pick<Limits, 'megabytesPerAnswer' | 'secondsPerAnswer'>
}

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

/**
 * One request: credentials, timeout, answer -> bytes or error. No retries, no paging, no parsing of
 * success.
 */
export interface PartnerClient {
  /** Scheme and host of the base address, for messages. */
  origin: string
  clock: ApiClock
  get(
    path: string,
    query: Readonly<Record<string, string>>,
    signal?: AbortSignal,
    redacted?: RedactedRequest,
  ): Promise<Buffer>
  /**
   * The answer with whatever status it has; `refusal` turns one that is no success into an error.
   */
  send(request: PartnerRequest, signal?: AbortSignal): Promise<PartnerAnswer>
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
export function createPartnerClient(
  credentials: PartnerCredentials,
  options: ClientOptions = {},
): PartnerClient {
  const timeoutMs = options.timeoutMs ?? 30_000
  const maxBytes = (credentials.limits?.megabytesPerAnswer ?? 64) * 1_000_000
  const longestMs = (credentials.limits?.secondsPerAnswer ?? 60) * 1000
  const base = new URL(credentials.baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool(base.origin, {
    connections: 64,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: Math.min(timeoutMs, 10_000),
  })
  const keys = { 'x-api-key': credentials.partnerKey, authorization: credentials.developerKey }
  const clock = createApiClock()
  const accepted = { accept: 'application/json', 'accept-encoding': 'gzip' }

  async function send(asked: PartnerRequest, signal?: AbortSignal): Promise<PartnerAnswer> {
    refuseOddKeys(credentials)
    const search = searchOf(asked)
    const sentAtMs = Date.now()
    const deadline = startDeadline(longestMs)
    try {
      const answer = await pool.request({
        method: asked.method,
        path: `${prefix}${asked.path}${search}`,
        headers: {
          ...accepted,
          ...asked.headers,
          ...(asked.anonymous ? {} : keys),
          ...(typeof asked.body === 'string' ? { 'content-type': 'application/json' } : {}),
        },
        ...(asked.body === undefined ? {} : { body: asked.body }),
        signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      })
      clock.note(answer.headers['date'], sentAtMs, Date.now())
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: await readText(answer, await readBody(answer, maxBytes, deadline), maxBytes),
      }
    } catch (cause) {
      if (signal?.aborted === true) throw cause
      const request = { name: describeRequest(asked, base.origin), isRead: asked.method === 'GET' }
      const bounds = { maxBytes, longestMs, isOver: deadline.signal.aborted }
      throw noAnswer(request, cause, bounds)
    } finally {
      deadline.stop()
    }
  }

  return {
    origin: base.origin,
    clock,
    async get(path, query, signal, redacted) {
      const request: PartnerRequest = {
        method: 'GET',
        path,
        query,
        ...(redacted === undefined
          ? {}
          : { redactedPath: `${redacted.path}${searchOf(redacted)}` }),
      }
      const answer = await send(request, signal)
      if (answer.status === 200) return answer.body
      throw refusal(describeRequest(request, base.origin), answer, WINDOW_REMEDY)
    },
    send,
    close: () => pool.close(),
  }
}

/** A line break at the end of an environment variable, say: it could not even be sent. */
function refuseOddKeys(credentials: PartnerCredentials): void {
  for (const name of ['partnerKey', 'developerKey'] as const)
    if (!/^[\x20-\x7e]*$/.test(credentials[name]))
      throw new PartnerError(
        'PARTNER_KEYS',
        `${name} holds a line break or another character that no key has; nothing was sent`,
        {
          remedy: 'Look at the environment variable that tillage.yaml names: it is often its end.',
        },
      )
}

const searchOf = ({ query }: Pick<PartnerRequest, 'query'>): string => {
  const search = new URLSearchParams(query as Record<string, string>).toString()
  return search === '' ? '' : `?${search}`
}

/**
 * A path in front of the API's own may be secret, so errors show the server and the API's part of
 * the path only.
 */
export const describeRequest = (request: PartnerRequest, origin: string): string =>
  `${request.method} ${request.redactedPath ?? `${request.path}${searchOf(request)}`} of ${origin}`

/**
 * The bytes as they came over the wire; the connection is given up as soon as they are too many.
 */
async function readBody(
  { body, headers }: Dispatcher.ResponseData,
  maxBytes: number,
  deadline: Deadline,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = Number(headers['content-length'] ?? 0) > maxBytes ? Infinity : 0
  if (bytes <= maxBytes)
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) break
      deadline.received(chunk.length)
      chunks.push(chunk)
    }
  if (bytes <= maxBytes) return joined(chunks)
  // Reading the rest of it fails, which is intended.
  body.on('error', () => {}).destroy()
  throw new AnswerTooLarge()
}

/** One buffer of its own, and the memory of the pieces given back. */
function joined(chunks: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(chunks)
  chunks.forEach(freeBytes)
  return whole
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * A refusal counts by its status, also where its words cannot be read. A byte order mark says
 * nothing about JSON; some servers send one.
 */
async function readText(
  { statusCode, headers }: Dispatcher.ResponseData,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  try {
    const text = await inflated(body, String(headers['content-encoding'] ?? ''), maxBytes)
    const isMarked = text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    return isMarked ? text.subarray(BYTE_ORDER_MARK.length) : text
  } catch (error) {
    if (error instanceof UnknownEncoding && statusCode >= 400) return Buffer.alloc(0)
    throw error
  }
}

/** Why there is no whole answer. What became of a write that was too slow, nobody knows. */
function noAnswer(
  { name, isRead }: { name: string; isRead: boolean },
  cause: unknown,
  { maxBytes, longestMs, isOver }: { maxBytes: number; longestMs: number; isOver: boolean },
): PartnerError {
  if (cause instanceof AnswerTooLarge) return tooLarge(name, maxBytes)
  if (cause instanceof UnknownEncoding && isRead) return unreadable(name, cause)
  return isOver && isRead ? tooSlow(name, longestMs) : unreachable(name, cause, isRead)
}

const tooLarge = (request: string, maxBytes: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_LARGE',
    `${request} answered more than ${maxBytes / 1_000_000} MB; nothing of it was taken.`,
    {
      remedy:
        'If the API is meant to answer that much, ' +
        'raise limits.megabytesPerAnswer of the store in tillage.yaml.',
    },
  )

const unreadable = (request: string, { encoding }: UnknownEncoding): PartnerError =>
  new PartnerError(
    'PARTNER_NOT_API',
    `${request} answered with the Content-Encoding ${encoding}; only gzip was asked for, ` +
      'and nothing of it was taken',
    { remedy: 'Something between here and the API compresses on its own: look at its settings.' },
  )

const tooSlow = (request: string, longestMs: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_SLOW',
    `${request} had not answered to the end after ${longestMs / 1000} s ` +
      'and a second for each 50 kB of it; nothing of it was taken.',
    {
      remedy:
        'Run the same command again later. If the API or the line is meant to be that slow, ' +
        'raise limits.secondsPerAnswer of the store in tillage.yaml.',
    },
  )

function unreachable(request: string, cause: unknown, harmless: boolean): PartnerError {
  const code = (cause as { code?: unknown }).code
  const what = typeof code === 'string' ? code : (cause as Error).name
  return new PartnerError('PARTNER_UNREACHABLE', `${request} got no whole answer (${what})`, {
    cause,
    remedy: harmless
      ? 'Check baseUrl in tillage.yaml and that the API is up, ' +
        'then run the same command again: it goes on with what is missing.'
      : 'Nobody knows whether it arrived: look at the API before it is sent again (INV-7).',
  })
}

const WINDOW_REMEDY =
  'The API refuses this request; the other windows go on. If it refuses all of them, check baseUrl.'

/**
 * What an answer other than a success means. `remedy` is what to do where the request itself is at
 * fault.
 */
export function refusal(
  request: string,
  { status, headers, body }: PartnerAnswer,
  remedy: string,
): PartnerError {
  const text = body.subarray(0, 2000).toString('utf8')
  const said = errorWords(text)
  const refused = { status, shape: errorShape(text) }
  const message = `${request} answered ${status}${said === '' ? '' : `: ${said}`}`
  const retryAfterMs = parseRetryAfter(headers['retry-after'])
  const wait = { refused, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 401)
    return new PartnerError('PARTNER_KEYS', message, {
      refused,
      remedy:
        'Check partnerKey and developerKey of this store in tillage.yaml. ' +
        'The developer key goes in as it is, without "Bearer".',
    })
  if (status === 403)
    return new PartnerError('PARTNER_PERMISSION', message, {
      refused,
      remedy:
        'Ask the platform for the permission that this partner key lacks; ' +
        'the other streams may work without it.',
    })
  if (status === 429) return new PartnerError('PARTNER_RATE_LIMIT', message, wait)
  // 408 and 425 say that the same request may succeed later.
  if (status >= 500 || status === 408 || status === 425)
    return new PartnerError('PARTNER_UNAVAILABLE', message, wait)
  if (status >= 400) return new PartnerError('PARTNER_REFUSED', message, { refused, remedy })
  return new PartnerError('PARTNER_NOT_API', `${message}; expected 200`, { remedy: NOT_API_REMEDY })
}

export const NOT_API_REMEDY =
  'Check baseUrl in tillage.yaml: it must be the address of the API itself, ' +
  'not of a web page in front of it.'

/** A longer pause means a wrong clock, or for ever; asking once an hour is right for both. */
const LONGEST_RETRY_AFTER_MS = 3_600_000

/** Seconds or an HTTP date (RFC 9110, 10.2.3). */
export function parseRetryAfter(
  header: string | string[] | undefined,
  nowMs = Date.now(),
): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS)
}
