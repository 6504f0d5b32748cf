import { days, json, page, paging, query, record, update } from './fields.ts'
import { get, group, post, put } from './operation.ts'
import {
  purchaseOrder,
  purchaseOrderPrepareRequest,
  purchaseOrderRequest,
} from './resources/purchase-order.ts'

export const purchaseOrders = group('Purchase orders', '/api/v1/partner/purchaseorders', {
  createPurchaseOrder: post(
    '',
    'Creates a purchase order; the employee id is for audit attribution',
    { body: json(purchaseOrderRequest), answer: record(purchaseOrder) },
  ),
  preparePurchaseOrder: post('/prepare', 'Computes a purchase order without creating it', {
    body: json(purchaseOrderPrepareRequest),
    answer: record(purchaseOrder),
    notShown: ['The body: that of the create operation, with nothing required.'],
  }),
  updatePurchaseOrder: put('/{purchaseOrderId}', 'Updates a purchase order', {
    body: json(update(purchaseOrder)),
    answer: record(purchaseOrder),
    notShown: [
      'The body: the full purchase order; its status moves it along, ' +
        'and receiving it makes batches that carry purchaseOrderId.',
    ],
  }),
  getPurchaseOrder: get('/{purchaseOrderId}', 'One purchase order', {
    answer: record(purchaseOrder),
  }),
  listPurchaseOrders: get('/list', 'Purchase orders', {
    query: query(paging('start')),
    answer: page(purchaseOrder),
    notShown: ['Parameters and shape: start and limit, a page.'],
  }),
  listPurchaseOrdersByDates: get('/dates', 'Purchase orders by dates', {
    query: query({ ...days, ...paging('start') }),
    answer: page(purchaseOrder),
    notShown: [
      'Parameters and shape: startDate and endDate as MM/dd/yyyy, start and limit, a page.',
      'Which field the dates look at: modified.',
    ],
  }),
})
