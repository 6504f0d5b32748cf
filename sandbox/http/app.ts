import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { cut, delayCommit, HTML_PAGE, interfere } from '../faults/interfere.ts'
import type { State } from '../model/state.ts'
import type { Call, Route } from '../routes/route.ts'
import { InsteadOfList, OtherAnswer, wrongMethod } from '../routes/route.ts'
import { routes } from '../routes/table.ts'
import { ApiError, errorBody, notFound } from './api-error.ts'
import { readForm, readJson } from './body.ts'
import { registerControl } from './control.ts'
import { authenticate } from './credentials.ts'
import type { Query } from './parameters.ts'
import type { Caller } from './read-call.ts'
import { readCall } from './read-call.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MOST_BYTES = 20 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route
  }
}

export const isControl = (request: FastifyRequest): boolean => request.url.startsWith('/_control')

const LOOPBACK_ADDRESS = /^(127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/

/**
 * Who controls the sandbox sits at this machine: no other one, no web page that had its own name
 * point here, and none that sends a form to this address.
 */
function admitControl({ ip, headers }: FastifyRequest): void {
  const isOwnPage = headers.origin === undefined || isLoopbackPage(headers.origin)
  if (!LOOPBACK_ADDRESS.test(ip) || !LOOPBACK_HOST.test(headers.host ?? '') || !isOwnPage)
    throw new ApiError(403, 'host', '/_control answers on this machine alone, as 127.0.0.1')
}

/** What a browser says of the page that asks. */
const isLoopbackPage = (origin: string): boolean =>
  LOOPBACK_HOST.test(origin.replace(/^https?:\/\//, ''))

type Refuse = (reply: FastifyReply, error: ApiError) => void

/**
 * The HTTP side: faults first, then credentials and permissions, then bodies, then routes, as a
 * gateway in front of the API would have it.
 */
export function buildApp(state: State): FastifyInstance {
  const callers = new WeakMap<FastifyRequest, Caller>()
  const refuse = refuseAs(state)
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: MOST_BYTES,
    routerOptions: { ignoreTrailingSlash: true },
    // A path that cannot be decoded never reaches the hooks; it is refused like any other,
    // credentials first.
    frameworkErrors: (error, request, reply) => {
      const unauthorized = attempt(() => authenticate(state, request.headers))
      refuse(reply, unauthorized ?? new ApiError(400, 'path', error.message))
    },
  })
  // Whoever opened a connection closes it. A server that closes an idle one cuts the request that
  // is on its way at that moment, which happens on busy machines.
  app.server.keepAliveTimeout = 0
  parseBodies(app)
  app.addHook('onRequest', async (request, reply) => {
    if (isControl(request)) {
      admitControl(request)
      return undefined
    }
    state.requestNumber++
    await interfere(state, request, reply)
    if (reply.sent) return reply
    callers.set(request, admit(state, request))
    return undefined
  })
  app.addHook('preHandler', request => delayCommit(state, request))
  app.addHook('onSend', async (request, reply, payload) => cut(request, reply, payload))
  answerErrors(app, state, refuse)
  for (const route of routes)
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      handler: (request, reply) => {
        answer(state, readCall(state, route, request, callers.get(request)!), route, reply)
      },
    })
  refuseOtherMethods(app, refuse)
  registerControl(app, state)
  return app
}

/** Answers a refusal as the profiles in force shape it. */
const refuseAs =
  (state: State): Refuse =>
  (reply, error) => {
    const { errorShape, errorStatuses } = state.behaviour
    const status = errorStatuses[error.status] ?? error.status
    void reply
      .code(status)
      .header('content-type', JSON_TYPE)
      .send(errorBody(error, errorShape, status))
  }

function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string | Buffer) => readJson(String(text)),
  )
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: string | Buffer) =>
      readForm(Buffer.from(bytes), request.headers),
  )
}

function answerErrors(app: FastifyInstance, state: State, refuse: Refuse): void {
  app.setErrorHandler((error: FastifyError | ApiError | InsteadOfList, request, reply) => {
    if (error instanceof InsteadOfList) sendInstead(error.kind, state, reply)
    else if (error instanceof ApiError) refuse(reply, error)
    else {
      const wrong = error instanceof RangeError || error instanceof SyntaxError
      const status = wrong && isControl(request) ? 400 : (error.statusCode ?? 500)
      refuse(reply, new ApiError(status, 'request', error.message))
    }
  })
  app.setNotFoundHandler((_request, reply) => {
    refuse(reply, notFound('path', 'There is no such path'))
  })
}

/** An HTML page or an error body under status 200, where a list was asked for. */
function sendInstead(kind: InsteadOfList['kind'], state: State, reply: FastifyReply): void {
  const error = new ApiError(500, 'request', 'Something went wrong')
  const [type, body] =
    kind === 'html'
      ? ['text/html; charset=utf-8', HTML_PAGE]
      : [JSON_TYPE, errorBody(error, state.behaviour.errorShape)]
  void reply.code(200).header('content-type', type).send(body)
}

/** Runs one operation with its events, whole or not at all, and sends what it answers. */
function answer(state: State, call: Call, route: Route, reply: FastifyReply): void {
  const [result, parcels] = state.changeLog.run(state.requestNumber, () => {
    const done = route.answer(call)
    return [done, state.outbox.put(call.world, call.events, call.nowMs)] as const
  })
  state.outbox.send(call.world, parcels)
  if (result === undefined) {
    void reply.code(200).send()
  } else if (result instanceof OtherAnswer) {
    const { status = 200, type, body, headers = {} } = result.reply
    void reply.code(status).headers(headers).header('content-type', type).send(body)
  } else {
    const written = typeof result === 'string' || Buffer.isBuffer(result)
    void reply.header('content-type', JSON_TYPE).send(written ? result : JSON.stringify(result))
  }
}

/** Paths that differ only in the names of their parameters are one path. */
function refuseOtherMethods(app: FastifyInstance, refuse: Refuse): void {
  const places = Map.groupBy(routes, route =>
    route.path.replaceAll(/:\w+/g, ':id').replace(/\/$/, ''),
  )
  for (const [place, played] of places) {
    const taken = new Set<string>(played.map(route => route.method))
    app.route({
      method: METHODS.filter(method => !taken.has(method)),
      url: place,
      handler: (_request, reply) => {
        refuse(reply.header('allow', [...taken].join(', ')), wrongMethod())
      },
    })
  }
}

/**
 * 401 without the right keys, 403 without the permission, both before anything else is looked at.
 */
function admit(state: State, request: FastifyRequest): Caller {
  const { route } = request.routeOptions.config
  if (route?.open !== undefined) {
    const world = route.open(state, request.query as Query)
    if (world === undefined) throw notFound('query', 'No store knows of this')
    return { world, permissions: [] }
  }
  const caller = authenticate(state, request.headers)
  if (route?.permission !== undefined && !caller.permissions.includes(route.permission))
    throw new ApiError(
      403,
      'x-api-key',
      `The partner key does not have ${route.permission} permission`,
    )
  return caller
}

function attempt(action: () => void): ApiError | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
