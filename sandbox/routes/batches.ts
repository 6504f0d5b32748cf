import { BATCH_STATUSES } from '../../connectors/partner/contract/resources/batch.ts'
import { invalid } from '../http/api-error.ts'
import { EVERYTHING, readMilliseconds, readText } from '../http/parameters.ts'
import { findNumber } from '../model/records.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'
import { dateRules, list } from './route.ts'

/**
 * Batches: most recently modified first, 100 a page; with `batchId` that one batch and all other
 * filters are ignored (Batches, rules).
 */
export const batchRoutes: readonly Route[] = [
  play('listBatches', call => {
    const collection = call.world.lists.batches
    const wanted = readText(call.query, 'batchId')
    if (wanted !== undefined)
      return list(call, {
        collection,
        range: EVERYTHING,
        sortedBy: 'modified',
        hint: JSON.stringify(wanted),
        matches: batch => batch['id'] === wanted,
      })
    const filters = [
      readText(call.query, 'productId'),
      readText(call.query, 'status'),
      readText(call.query, 'term')?.toLowerCase(),
    ]
    const [productId, status, term] = filters
    if (status !== undefined && !BATCH_STATUSES.some(known => known === status))
      throw invalid('status', `status is not valid; valid are ${BATCH_STATUSES.join(', ')}`)
    if (filters.every(filter => filter === undefined))
      return list(call, { collection, range: EVERYTHING, sortedBy: 'modified' })
    return list(call, {
      collection,
      range: EVERYTHING,
      sortedBy: 'modified',
      ...(productId === undefined ? {} : { hint: JSON.stringify(productId) }),
      matches: batch =>
        (productId === undefined || batch['productId'] === productId) &&
        (status === undefined || batch['status'] === status) &&
        (term === undefined ||
          ['productName', 'sku', 'trackPackageLabel']
            .map(field => String(batch[field]))
            .join(' ')
            .toLowerCase()
            .includes(term)),
    })
  }),
  play('listBatchesByDates', call =>
    list(call, {
      collection: call.world.lists.batches,
      range: readMilliseconds(call.query, dateRules(call, { limited: true })),
      sortedBy: 'modified',
    }),
  ),
  play('listBatchesByPurchaseDate', call => {
    const { fromMs, toMs } = readMilliseconds(call.query, dateRules(call, { limited: true }))
    return list(call, {
      collection: call.world.lists.batches,
      range: EVERYTHING,
      sortedBy: 'modified',
      matches: batch =>
        Number(batch['purchasedDate']) >= fromMs && Number(batch['purchasedDate']) < toMs,
    })
  }),
  play('getBatchQuantityInfo', ({ world: { lists }, params }) => {
    findNumber(lists.products, params['productId']!, 'productId')
    const { batch_quantities: rows } = lists
    return `[${rows
      .where('productId', params['productId']!)
      .map(number => rows.text(number))
      .join(',')}]`
  }),
  play('listBatchQuantities', call => {
    const { batch_quantities: collection, inventories } = call.world.lists
    const room = readText(call.query, 'inventoryId')
    if (room === undefined)
      return list(call, { collection, range: EVERYTHING, sortedBy: 'id', quiet: true })
    findNumber(inventories, room, 'inventoryId')
    return list(call, {
      collection,
      range: EVERYTHING,
      sortedBy: 'id',
      quiet: true,
      matches: row => row['inventoryId'] === room,
    })
  }),
]
