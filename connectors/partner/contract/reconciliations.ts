import { int64, json, page, paging, query, record } from './fields.ts'
import { get, group, post } from './operation.ts'
import { reconciliation, reconciliationRequest } from './resources/reconciliation.ts'

const needs = ['store', 'PERFORM_RECONCILIATION'] as const

export const reconciliations = group('Reconciliations', '/api/v1/partner/reconciliations', {
  listReconciliations: get('', 'Reconciliations', {
    needs,
    query: query({ ...int64('requestNo'), ...paging('start') }),
    answer: page(reconciliation),
  }),
  getReconciliation: get('/{reconciliationId}', 'One reconciliation', {
    needs,
    answer: record(reconciliation),
  }),
  createReconciliation: post('', 'Sets counted quantities', {
    needs,
    body: json(reconciliationRequest),
    answer: record(reconciliation),
    notShown: [
      'The fields of ProductLossRequest: productId, batchId, inventoryId, newQuantity, ' +
        'which is the count.',
      'What transNo names: a transaction of type Reconciliation.',
    ],
  }),
})
