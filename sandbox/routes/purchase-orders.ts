import { EVERYTHING, readDays } from '../parameters.ts'
import type { Route } from './route.ts'
import { get, list, single } from './route.ts'

/** Parameters are not shown; dates are MM/dd/yyyy (Limits, rule 2). Reading: `/list` is everything, page by page. */
export const purchaseOrderRoutes: readonly Route[] = [
  get('/api/v1/partner/purchaseorders/dates', (call) => list(call, { collection: call.world.lists.purchase_orders, range: readDays(call.query, call.world.shop.timeZone, call.nowMs, call.state.behaviour, true), sortedBy: 'modified' })),
  get('/api/v1/partner/purchaseorders/list', (call) => list(call, { collection: call.world.lists.purchase_orders, range: EVERYTHING, sortedBy: 'modified' })),
  get('/api/v1/partner/purchaseorders/:purchaseOrderId', (call) => single(call.world.lists.purchase_orders, call.params['purchaseOrderId']!, 'purchaseOrderId')),
]
