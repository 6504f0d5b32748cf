import { z } from 'zod'
import {
  array,
  choice,
  json,
  milliseconds,
  page,
  paging,
  query,
  record,
  recordOrNone,
  text,
} from './fields.ts'
import { get, group, post, put } from './operation.ts'
import {
  batch,
  BATCH_STATUSES,
  batchQuantityInfo,
  transferHistory,
  transferRequest,
} from './resources/batch.ts'

const CAP = 100
const TRANSFER = 'Body and answer: a request with rooms and batches, and the transfer history.'
const byEmployee = z.looseObject(text('employeeId', 'note'))

/**
 * With `batchId` that one batch is answered, and all other filters are ignored (Batches, rules).
 */
export const batches = group('Batches', '/api/v1/partner/store/batches', {
  listBatches: get('', 'Batches, most recently modified first', {
    query: query({
      ...text('batchId', 'productId', 'term'),
      status: choice(BATCH_STATUSES),
      ...paging('start'),
    }),
    answer: page(batch, CAP),
  }),
  listBatchesByDates: get('/dates', 'Batches by dates; endDate defaults to now', {
    query: query({ ...milliseconds, ...paging('start') }),
    answer: page(batch, CAP),
    notShown: ['Which field the dates look at: modified.'],
  }),
  listBatchesByPurchaseDate: get('/dates/purchaseDate', 'Batches by purchase date', {
    query: query({ ...milliseconds, ...paging('start') }),
    answer: page(batch, CAP),
    notShown: [
      'Parameters and shape: startDate and endDate in epoch milliseconds, start and limit, a page.',
    ],
  }),
  getBatchQuantityInfo: get(
    '/{productId}/batchQuantityInfo',
    'Quantities of the batches of a product',
    {
      answer: array(batchQuantityInfo),
      notShown: ['The answer: a bare array, one item for each batch and room.'],
    },
  ),
  listBatchQuantities: get('/quantities', 'Quantities of batches by inventory', {
    query: query({ ...text('inventoryId'), ...paging('start') }),
    answer: page(batchQuantityInfo),
    notShown: ['Parameters and shape: inventoryId, start and limit, a page.'],
  }),
  createInventoryTransfer: post('/transferInventory', 'Starts a transfer between inventories', {
    body: json(transferRequest),
    answer: record(transferHistory),
    notShown: [TRANSFER, 'The effect: nothing moves before it is accepted.'],
  }),
  updateInventoryTransfer: put('/transferInventory/{historyId}', 'Changes a transfer', {
    body: json(transferRequest),
    answer: record(transferHistory),
    notShown: [TRANSFER, 'When it may be changed: while it is pending.'],
  }),
  acceptInventoryTransfer: post('/transferInventory/{historyId}/accept', 'Accepts a transfer', {
    body: json(byEmployee),
    answer: recordOrNone(transferHistory),
    notShown: [TRANSFER, 'The effect: the quantities move.'],
  }),
  declineInventoryTransfer: post('/transferInventory/{historyId}/decline', 'Declines a transfer', {
    body: json(byEmployee),
    answer: recordOrNone(transferHistory),
    notShown: [TRANSFER, 'The effect: nothing moves.'],
  }),
})
