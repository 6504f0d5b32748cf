import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { cut, HTML_PAGE, interfere } from '../faults/interfere.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { State } from '../model/state.ts'
import type { World } from '../model/world.ts'
import type { Call, Route } from '../routes/route.ts'
import { InsteadOfList, Other, wrongMethod } from '../routes/route.ts'
import { routes } from '../routes/table.ts'
import type { PartnerKey } from '../seed/stores.ts'
import { ApiError, errorBody, invalid, notFound } from './api-error.ts'
import type { Body } from './body.ts'
import { readForm, readJson } from './body.ts'
import { registerControl } from './control.ts'
import { authenticate } from './credentials.ts'
import type { Query } from './parameters.ts'
import { readText } from './parameters.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MOST_BYTES = 20 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route
  }
}

/** Who asks, and for which store. */
interface Caller {
  world: World
  permissions: PartnerKey['permissions']
}

export const isControl = (request: FastifyRequest): boolean => request.url.startsWith('/_control')

/**
 * The HTTP side: faults first, then credentials and permissions, then bodies, then routes, as a
 * gateway in front of the API would have it.
 */
export function buildApp(state: State): FastifyInstance {
  const callers = new WeakMap<FastifyRequest, Caller>()
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: MOST_BYTES,
    routerOptions: { ignoreTrailingSlash: true },
    // A path that cannot be decoded never reaches the hooks; it is refused like any other,
    // credentials first.
    frameworkErrors: (error, request, reply) =>
      refuse(
        reply,
        attempt(() => authenticate(state, request.headers)) ??
          new ApiError(400, 'path', error.message),
      ),
  })

  const refuse = (reply: FastifyReply, error: ApiError): void => {
    const { errorShape, errorStatuses } = state.behaviour
    const status = errorStatuses[error.status] ?? error.status
    void reply
      .code(status)
      .header('content-type', JSON_TYPE)
      .send(errorBody(error, errorShape, status))
  }

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

  app.addHook('onRequest', async (request, reply) => {
    if (isControl(request)) return
    state.requestNumber++
    await interfere(state, request, reply)
    if (reply.sent) return reply
    callers.set(request, admit(state, request))
    return undefined
  })
  app.addHook('onSend', async (request, reply, payload) => cut(request, reply, payload))
  app.setErrorHandler((error: FastifyError | ApiError | InsteadOfList, request, reply) => {
    if (error instanceof InsteadOfList) {
      if (error.kind === 'html')
        return void reply
          .code(200)
          .header('content-type', 'text/html; charset=utf-8')
          .send(HTML_PAGE)
      return void reply
        .code(200)
        .header('content-type', JSON_TYPE)
        .send(
          errorBody(
            new ApiError(500, 'request', 'Something went wrong'),
            state.behaviour.errorShape,
          ),
        )
    }
    const wrong = error instanceof RangeError || error instanceof SyntaxError
    refuse(
      reply,
      error instanceof ApiError
        ? error
        : new ApiError(
            wrong && isControl(request) ? 400 : (error.statusCode ?? 500),
            'request',
            error.message,
          ),
    )
  })
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, notFound('path', 'There is no such path')),
  )

  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      handler: (request, reply) => {
        const call = readCall(state, route, request, callers.get(request)!)
        const [answer, parcels] = state.changeLog.run(state.requestNumber, () => {
          const done = route.answer(call)
          return [done, state.outbox.put(call.world, call.events, call.nowMs)] as const
        })
        state.outbox.send(call.world, parcels)
        if (answer instanceof Other) {
          const { status = 200, type, body, headers = {} } = answer.reply
          void reply.code(status).headers(headers).header('content-type', type).send(body)
        } else if (answer === undefined) void reply.code(200).send()
        else
          void reply
            .header('content-type', JSON_TYPE)
            .send(
              typeof answer === 'string' || Buffer.isBuffer(answer)
                ? answer
                : JSON.stringify(answer),
            )
      },
    })
  }
  // Paths that differ only in the names of their parameters are one path.
  const places = Map.groupBy(routes, route =>
    route.path.replaceAll(/:\w+/g, ':id').replace(/\/$/, ''),
  )
  for (const [place, played] of places) {
    const taken = new Set<string>(played.map(route => route.method))
    const others = METHODS.filter(method => !taken.has(method))
    app.route({
      method: others,
      url: place,
      handler: (_request, reply) =>
        refuse(reply.header('allow', [...taken].join(', ')), wrongMethod()),
    })
  }
  registerControl(app, state)
  return app
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

function readCall(
  state: State,
  route: Route,
  request: FastifyRequest,
  { world, permissions }: Caller,
): Call {
  const query = request.query as Query
  const { plain, exact } = (request.body as Body | undefined) ?? {
    plain: undefined,
    exact: undefined,
  }
  const isList = Array.isArray(plain)
  const takesList = route.takesList ?? false
  if (
    plain !== undefined &&
    (typeof plain !== 'object' ||
      plain === null ||
      (takesList !== 'either' && isList !== takesList))
  ) {
    throw invalid(
      'body',
      `The body must be a JSON ${takesList === true ? 'list' : takesList === 'either' ? 'list or object' : 'object'}`,
    )
  }
  const cuid = request.headers['cuid'] ?? readText(query, 'cuid')
  const token = request.headers['x-auth-token']
  return {
    state,
    world,
    permissions,
    path: route.path,
    query,
    params: request.params as Record<string, string>,
    nowMs: state.nowMs(world.shop),
    body: (isList ? {} : (plain ?? {})) as JsonRecord,
    exact: (isList ? {} : (exact ?? {})) as JsonRecord,
    plainItems: (isList ? plain : []) as JsonRecord[],
    items: (isList ? exact : []) as JsonRecord[],
    cuid: typeof cuid === 'string' ? cuid : undefined,
    authToken: typeof token === 'string' ? token : undefined,
    events: [],
  }
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
