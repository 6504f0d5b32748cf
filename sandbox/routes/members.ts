import { invalid } from '../api-error.ts'
import { readLastDays, readMilliseconds } from '../parameters.ts'
import type { Route } from './route.ts'
import { get, list, single } from './route.ts'

/** Epoch milliseconds, at most 7 days. Reading: `/days` counts days of the store's zone, today included. */
export const memberRoutes: readonly Route[] = [
  get('/api/v1/partner/members', (call) => list(call, { collection: call.world.lists.members, range: readMilliseconds(call.query, call.nowMs, call.state.behaviour, true), sortedBy: 'modified' })),
  get('/api/v1/partner/members/days', (call) => {
    const range = readLastDays(call.query, call.world.shop.timeZone, call.nowMs)
    if (range === undefined) throw invalid('days', 'days is required')
    return list(call, { collection: call.world.lists.members, range, sortedBy: 'modified' })
  }),
  get('/api/v1/partner/members/:memberId', (call) => single(call.world.lists.members, call.params['memberId']!, 'memberId')),
]
