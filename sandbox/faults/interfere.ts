import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, errorBody } from '../http/api-error.ts'
import type { State } from '../model/state.ts'
import type { Verdict } from './rules.ts'

export const HTML_PAGE =
  '<!doctype html><html><head><title>One moment</title></head>' +
  '<body><h1>We will be right back</h1></body></html>'

const cuts = new WeakMap<FastifyRequest, 'drop' | 'truncate'>()

/**
 * Does to a request what the fault rules say, before anything else sees it. Sends an answer, or
 * leaves it to the routes.
 */
export async function interfere(
  state: State,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const startedMs = performance.now()
  logWhenDone(state, request, reply, startedMs)
  const key = request.headers.authorization ?? ''
  const verdict = state.faults.judge(request, state.requestNumber, key, startedMs)
  if (verdict === undefined) return
  if (verdict.latencyMs > 0) await state.faults.wait(verdict.latencyMs)
  if (verdict.hang === true) {
    reply.hijack()
    return
  }
  if (verdict.commitAfterMs !== undefined) late.set(request, verdict.commitAfterMs)
  if (verdict.drop === true) cuts.set(request, 'drop')
  else if (verdict.truncate === true) cuts.set(request, 'truncate')
  await sendVerdict(state, verdict, reply)
}

const late = new WeakMap<FastifyRequest, number>()

/** Once the request has come in whole: whoever sent it hears nothing, and it happens later. */
export async function delayCommit(state: State, request: FastifyRequest): Promise<void> {
  const afterMs = late.get(request)
  if (afterMs === undefined) return
  request.raw.socket.destroy()
  await state.faults.wait(afterMs)
}

function logWhenDone(
  state: State,
  request: FastifyRequest,
  reply: FastifyReply,
  startedMs: number,
): void {
  const { method, url } = request
  const queryAt = url.indexOf('?')
  reply.raw.once('close', () => {
    const done = reply.raw.writableFinished && cuts.get(request) !== 'drop'
    state.log.add({
      method,
      path: queryAt < 0 ? url : url.slice(0, queryAt),
      query: queryAt < 0 ? '' : url.slice(queryAt + 1),
      status: done ? reply.raw.statusCode : 0,
      at: Math.round((performance.timeOrigin + startedMs) * 100) / 100,
      ms: Math.round((performance.now() - startedMs) * 100) / 100,
    })
  })
}

/** The page or the error that a rule wants; nothing where the routes shall answer. */
async function sendVerdict(state: State, verdict: Verdict, reply: FastifyReply): Promise<void> {
  const { status, retryAfter, html } = verdict
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (html === true) {
    await reply
      .code(status ?? 200)
      .header('content-type', 'text/html; charset=utf-8')
      .send(HTML_PAGE)
  } else if (status !== undefined) {
    const message = status === 429 ? 'Too many requests' : 'The service could not answer'
    await reply
      .code(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(errorBody(new ApiError(status, 'request', message), state.behaviour.errorShape))
  }
}

/**
 * Cuts a body in half: politely, as a shorter whole, or by hanging up in the middle of what was
 * announced.
 */
export function cut(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const how = cuts.get(request)
  if (how === undefined || (typeof payload !== 'string' && !Buffer.isBuffer(payload)))
    return payload
  const bytes = Buffer.from(payload)
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  if (how === 'truncate') return half
  reply.header('content-length', bytes.length)
  return Readable.from(
    (async function* () {
      yield half
      // One turn for the half to be written; then flush and close: the announced rest never comes.
      await nextTurn()
      reply.raw.socket?.destroySoon()
    })(),
  )
}
