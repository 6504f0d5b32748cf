import { readDays, readLastDays } from '../parameters.ts'
import type { Route } from './route.ts'
import { get, list, single } from './route.ts'

/** Reading: the list takes MM/dd/yyyy (Limits, rule 2) or `days`, at most 7; without dates the last 7 days. */
export const transactionRoutes: readonly Route[] = [
  get('/api/v1/partner/transactions', (call) => {
    const { shop, lists } = call.world
    const range = readLastDays(call.query, shop.timeZone, call.nowMs) ?? readDays(call.query, shop.timeZone, call.nowMs, call.state.behaviour, true)
    return list(call, { collection: lists.transactions, range, sortedBy: 'modified' })
  }),
  get('/api/v1/partner/transactions/:transactionId', (call) => single(call.world.lists.transactions, call.params['transactionId']!, 'transactionId')),
]
