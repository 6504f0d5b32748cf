import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { ApiError, errorBody, notFound } from './api-error.ts'
import { registerControl } from './control.ts'
import { authenticate } from './credentials.ts'
import { cut, HTML_PAGE, interfere } from './interfere.ts'
import type { Query } from './parameters.ts'
import { InsteadOfList, wrongMethod } from './routes/route.ts'
import { routes } from './routes/table.ts'
import type { State } from './state.ts'
import type { World } from './world.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const isControl = (request: FastifyRequest): boolean => request.url.startsWith('/_control')

/** The HTTP side: faults first, then credentials, then routes, as a gateway in front of the API would have it. */
export function buildApp(state: State): FastifyInstance {
  const worlds = new WeakMap<FastifyRequest, World>()
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true },
    // A path that cannot be decoded never reaches the hooks; it is refused like any other, credentials first.
    frameworkErrors: (error, request, reply) => refuse(reply, attempt(() => authenticate(state, request.headers)) ?? new ApiError(400, 'path', error.message)),
  })

  const refuse = (reply: FastifyReply, error: ApiError): void => {
    void reply.code(error.status).header('content-type', JSON_TYPE).send(errorBody(error, state.behaviour.errorShape))
  }

  app.addHook('onRequest', async (request, reply) => {
    if (isControl(request)) return
    state.requestNumber++
    await interfere(state, request, reply)
    if (reply.sent) return reply
    worlds.set(request, authenticate(state, request.headers))
    return undefined
  })
  app.addHook('onSend', async (request, reply, payload) => cut(request, reply, payload))
  app.setErrorHandler((error: FastifyError | ApiError | InsteadOfList, request, reply) => {
    if (error instanceof InsteadOfList) {
      if (error.kind === 'html') return void reply.code(200).header('content-type', 'text/html; charset=utf-8').send(HTML_PAGE)
      return void reply.code(200).header('content-type', JSON_TYPE).send(errorBody(new ApiError(500, 'request', 'Something went wrong'), state.behaviour.errorShape))
    }
    const wrong = error instanceof RangeError || error instanceof SyntaxError
    refuse(reply, error instanceof ApiError ? error : new ApiError(wrong && isControl(request) ? 400 : (error.statusCode ?? 500), 'request', error.message))
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, notFound('path', 'There is no such path')))

  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => {
        const world = worlds.get(request)!
        const { shop } = world
        const text = route.answer({ state, world, path: route.path, query: request.query as Query, params: request.params as Record<string, string>, nowMs: state.nowMs(shop) })
        void reply.header('content-type', JSON_TYPE).send(text)
      },
    })
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const taken = new Set<string>(routes.filter((route) => route.path === path).map((route) => route.method))
    app.route({ method: METHODS.filter((method) => !taken.has(method)), url: path, handler: () => { throw wrongMethod() } })
  }
  registerControl(app, state)
  return app
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
