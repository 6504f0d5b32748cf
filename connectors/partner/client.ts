import { Pool } from 'undici'
import { PartnerError } from '../../errors.ts'
import { readBody, startDeadline } from './answer-body.ts'
import type { Limits } from './governor.ts'
import { noAnswer } from './lost-answer.ts'
import { quoteWithoutKeys } from './quote-refusal.ts'
import { contractNames, refusal } from './refusal.ts'
import { describeRequest, describeServer, prefixOf, repeatedBegin, searchOf } from './request.ts'
import type { PartnerAnswer, PartnerRequest, RedactedRequest } from './request.ts'
import { STORE_PATH } from './store-info.ts'
import type { StoreInfo } from './store-info.ts'

export interface PartnerCredentials {
  baseUrl: string
  partnerKey: string
  developerKey: string
  limits?: Pick<Limits, 'megabytesPerAnswer' | 'secondsPerAnswer'>
}

/**
 * One request: credentials, timeout, answer -> bytes or error. No retries, no paging, no parsing of
 * success.
 */
export interface PartnerClient {
  /** How messages name the server (`describeServer`). */
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
  /** Whose shop answers to these keys, as far as it was asked and accepted. */
  shop?(): StoreInfo | undefined
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
  const origin = describeServer(credentials.baseUrl)
  const prefix = prefixOf(credentials.baseUrl)
  const pool = new Pool(new URL(credentials.baseUrl).origin, {
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
        body: await readBody(answer, maxBytes, deadline),
      }
    } catch (cause) {
      if (signal?.aborted === true) throw cause
      const request = { name: describeRequest(asked, origin), isRead: asked.method === 'GET' }
      const bounds = { maxBytes, longestMs, isOver: deadline.signal.aborted }
      throw noAnswer(request, cause, bounds)
    } finally {
      deadline.stop()
    }
  }

  return {
    origin,
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
      const answered = send(request, signal)
      // Loaded while the first answer is on its way: a refusal must be told at once.
      void contractNames()
      const answer = await answered
      if (answer.status === 200) return answer.body
      const name = describeRequest(request, origin)
      // The one read that is about nobody but the shop.
      const isTold = path === STORE_PATH && answer.status === 403
      const said = isTold ? quoteWithoutKeys(answer.body, Object.values(keys)) : undefined
      throw await refusal({ name, isWrite: false, said }, answer, remedyOf(credentials.baseUrl))
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

/** What to do about a read that is refused. */
function remedyOf(baseUrl: string): string {
  const begin = repeatedBegin(baseUrl)
  const check = 'The API refuses this request. If it refuses all, check baseUrl in tillage.yaml'
  if (begin !== undefined)
    return `${check}: it ends with ${begin}, and each request begins with that, so leave it out.`
  return prefixOf(baseUrl) === '' ? `${check}.` : `${check}, above all its path.`
}

/**
 * How far this machine's clock is from the API's, by the `Date` header of its answers (RFC 9110).
 */
export interface ApiClock {
  /** One answer: its `Date` header, and this machine's clock around it. */
  note(date: string | string[] | undefined, sentAtMs: number, answeredAtMs: number): void
  /**
   * Milliseconds by which this machine is ahead of the API; negative: behind; undefined: no answer
   * has said what time it is. Differences that the second's resolution of the header explains are
   * 0.
   */
  skewMs(): number | undefined
}

/** A `Date` header names a whole second: the API's clock is somewhere in the next 1,000 ms. */
const RESOLUTION_MS = 1000

export function createApiClock(): ApiClock {
  let skewMs: number | undefined
  return {
    note(date, sentAtMs, answeredAtMs) {
      const apiMs = typeof date === 'string' ? Date.parse(date) : Number.NaN
      if (Number.isNaN(apiMs)) return
      skewMs = skewBetween(apiMs, sentAtMs, answeredAtMs)
    },
    skewMs: () => skewMs,
  }
}

/**
 * The smallest difference that explains an answer: the API wrote `apiMs` while this machine's clock
 * stood between `sentAtMs` and `answeredAtMs`.
 */
export function skewBetween(apiMs: number, sentAtMs: number, answeredAtMs: number): number {
  const atLeast = sentAtMs - (apiMs + RESOLUTION_MS)
  const atMost = answeredAtMs - apiMs
  if (atLeast > 0) return atLeast
  if (atMost < 0) return atMost
  return 0
}
