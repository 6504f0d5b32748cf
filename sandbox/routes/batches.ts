import { EVERYTHING, readMilliseconds, readText } from '../parameters.ts'
import type { Route } from './route.ts'
import { get, list } from './route.ts'

/** Batches: most recently modified first, 100 a page; with `batchId` that one batch and all other filters are ignored (Batches, rules). */
export const batchRoutes: readonly Route[] = [
  get('/api/v1/partner/store/batches', (call) => {
    const collection = call.world.lists.batches
    const wanted = readText(call.query, 'batchId')
    if (wanted !== undefined) return list(call, { collection, range: EVERYTHING, sortedBy: 'modified', matches: (batch) => batch['id'] === wanted })
    const filters = [readText(call.query, 'productId'), readText(call.query, 'status'), readText(call.query, 'term')?.toLowerCase()]
    const [productId, status, term] = filters
    if (filters.every((filter) => filter === undefined)) return list(call, { collection, range: EVERYTHING, sortedBy: 'modified' })
    return list(call, {
      collection,
      range: EVERYTHING,
      sortedBy: 'modified',
      matches: (batch) =>
        (productId === undefined || batch['productId'] === productId) &&
        (status === undefined || batch['status'] === status) &&
        (term === undefined || `${String(batch['productName'])} ${String(batch['sku'])} ${String(batch['trackPackageLabel'])}`.toLowerCase().includes(term)),
    })
  }),
  get('/api/v1/partner/store/batches/dates', (call) => list(call, { collection: call.world.lists.batches, range: readMilliseconds(call.query, call.nowMs, call.state.behaviour, true), sortedBy: 'modified' })),
]
