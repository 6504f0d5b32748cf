import type { FastifyRequest } from 'fastify'
import type { JsonRecord } from '../model/collection.ts'
import type { State } from '../model/state.ts'
import type { World } from '../model/world.ts'
import type { Call, Route } from '../routes/route.ts'
import type { PartnerKey } from '../seed/stores.ts'
import { invalid } from './api-error.ts'
import type { Body } from './body.ts'
import type { Query } from './parameters.ts'
import { readText } from './parameters.ts'

/** Who asks, and for which store. */
export interface Caller {
  world: World
  permissions: PartnerKey['permissions']
}

type Bodies = Pick<Call, 'hasBody' | 'body' | 'exact' | 'plainItems' | 'items'>

/** An HTTP request as the routes see it. Refused (400) where the body has another shape. */
export function readCall(
  state: State,
  route: Route,
  request: FastifyRequest,
  { world, permissions }: Caller,
): Call {
  const query = request.query as Query
  return {
    state,
    world,
    permissions,
    path: route.path,
    query,
    params: request.params as Record<string, string>,
    nowMs: state.nowMs(world.shop),
    ...readBodies(request.body as Body | undefined, route.takesList ?? false),
    cuid: textOf(request.headers['cuid'] ?? readText(query, 'cuid')),
    authToken: textOf(request.headers['x-auth-token']),
    events: [],
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

function readBodies(sent: Body | undefined, takesList: boolean | 'either'): Bodies {
  if (sent?.plain === undefined)
    return { hasBody: false, body: {}, exact: {}, plainItems: [], items: [] }
  const { plain, exact } = sent
  const isList = Array.isArray(plain)
  const isStructure = typeof plain === 'object' && plain !== null
  if (!isStructure || (takesList !== 'either' && isList !== takesList))
    throw invalid('body', `The body must be a JSON ${shapeName(takesList)}`)
  if (isList)
    return {
      hasBody: true,
      body: {},
      exact: {},
      plainItems: plain as JsonRecord[],
      items: exact as JsonRecord[],
    }
  return {
    hasBody: true,
    body: plain as JsonRecord,
    exact: (exact ?? {}) as JsonRecord,
    plainItems: [],
    items: [],
  }
}

function shapeName(takesList: boolean | 'either'): string {
  if (takesList === 'either') return 'list or object'
  return takesList ? 'list' : 'object'
}
