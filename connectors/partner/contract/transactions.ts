import type { z } from 'zod'
import {
  days,
  int32,
  json,
  none,
  page,
  paging,
  query,
  record,
  recordOrNone,
  text,
  update,
} from './fields.ts'
import { del, get, group, post } from './operation.ts'
import type { WebHookType } from './operation.ts'
import { address } from './resources/address.ts'
import { employeeRequest, queueRequest, transaction } from './resources/transaction.ts'

const PAGE = 'Parameters and shape: start and limit, a page.'

/** What may be sent with an action: fields of the transaction that change with it. */
const changes = update(transaction)

const action = <const S extends z.ZodType>(
  schema: S,
  body: string,
  emits: WebHookType = 'UPDATE_TRANSACTION',
): {
  body: { kind: 'json'; schema: S }
  answer: ReturnType<typeof recordOrNone<typeof transaction>>
  emits: WebHookType[]
  notShown: string[]
} => ({
  body: json(schema),
  answer: recordOrNone(transaction),
  emits: [emits],
  notShown: [
    `The body: ${body}.`,
    'The answer: the transaction.',
    'In which states it is allowed.',
  ],
})

const step = {
  writes: true,
  answer: recordOrNone(transaction),
  emits: ['UPDATE_TRANSACTION'],
  notShown: ['The answer: the transaction.', 'It changes something although it is a GET.'],
} as const

const CHANGES = 'fields of the transaction, or nothing'

export const transactions = group('Transactions', '/api/v1/partner/transactions', {
  listTransactions: get('', 'Transactions by dates', {
    query: query({ ...days, ...int32('days'), ...paging('skip') }),
    answer: page(transaction, 100),
    notShown: [
      'Parameters and shape: startDate and endDate as MM/dd/yyyy or days, at most 7 days, ' +
        'skip and limit, a page of at most 100.',
      'Which field the dates look at: modified.',
    ],
  }),
  listActiveTransactions: get('/active', 'Active transactions', {
    query: query(paging('skip')),
    answer: page(transaction),
    notShown: ['Parameters and shape: skip and limit, a page.'],
  }),
  listActiveMemberTransactions: get(
    '/members/{memberId}/active',
    'Active transactions of a member',
    { query: query(paging('start')), answer: page(transaction), notShown: [PAGE] },
  ),
  listCompletedMemberTransactions: get(
    '/members/{memberId}/completed',
    'Completed transactions of a member',
    { query: query(paging('start')), answer: page(transaction), notShown: [PAGE] },
  ),
  addToQueue: post('/queues/{queueName}', 'Adds a member to a queue', {
    body: json(queueRequest),
    answer: record(transaction),
    emits: ['CREATE_TRANSACTION'],
    notShown: [
      'Names of queues: WalkIn is one.',
      'Body and answer: memberId, and the transaction.',
    ],
  }),
  getTransaction: get('/{transactionId}', 'One transaction', {
    answer: record(transaction),
    notShown: ['The shape: the transaction.'],
  }),
  deleteTransaction: del('/{transactionId}', 'Deletes a transaction from its queue', {
    query: query(text('reason')),
    answer: none,
    emits: ['CANCEL_TRANSACTION'],
    notShown: ['Parameters: reason.'],
  }),
  setTransactionAddress: post(
    '/{transactionId}/address',
    'Sets the delivery address',
    action(address, 'the address'),
  ),
  completeTransaction: post('/{transactionId}/complete', 'Completes a transaction', {
    ...action(
      changes,
      'fields of the transaction such as payments, or nothing',
      'COMPLETE_TRANSACTION',
    ),
    emits: ['COMPLETE_TRANSACTION', 'UPDATE_CONSUMER_ORDER'],
  }),
  setTransactionEmployee: post(
    '/{transactionId}/employee',
    'Sets who serves',
    action(employeeRequest, 'employeeId'),
  ),
  finalizeTransaction: post(
    '/{transactionId}/finalize',
    'Finalizes the items',
    action(changes, CHANGES),
  ),
  holdTransaction: post('/{transactionId}/hold', 'Holds a transaction', action(changes, CHANGES)),
  markTransactionAsPaid: post(
    '/{transactionId}/markAsPaid',
    'Marks a transaction as paid',
    action(changes, 'fields of the transaction such as payments, or nothing'),
  ),
  prepareTransaction: post(
    '/{transactionId}/prepare',
    'Computes a transaction',
    action(changes, CHANGES),
  ),
  sendTransactionToFulfill: post(
    '/{transactionId}/sendToFulfill',
    'Sends a transaction to be fulfilled',
    action(changes, CHANGES),
  ),
  signTransaction: post('/{transactionId}/sign', 'Signs a transaction', action(changes, CHANGES)),
  unfinalizeTransaction: post(
    '/{transactionId}/unfinalize',
    'Takes back that the items are final',
    action(changes, CHANGES),
  ),
  startTransaction: get('/{transactionId}/start', 'Starts a transaction', step),
  stopTransaction: get('/{transactionId}/stop', 'Stops a transaction', step),
  unassignTransaction: get(
    '/{transactionId}/unassign',
    'Takes a transaction from whoever serves',
    step,
  ),
})
