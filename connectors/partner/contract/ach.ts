import { json, none, page, paging, query, record, recordOrNone, text } from './fields.ts'
import { del, get, group, post, put } from './operation.ts'
import { achAccount, achAccountRequest, achTransaction } from './resources/ach.ts'

const KEYS = 'Credentials of the management endpoints: both keys.'

export const achManagement = group('ACH management', '/api/v1/mgmt/ach', {
  listAchAccounts: get('/shopachaccount', 'ACH accounts', {
    query: query({ ...text('companyId', 'shopId'), ...paging('start') }),
    answer: page(achAccount),
    notShown: [KEYS],
  }),
  createAchAccount: post('/shopachaccount', 'Creates an ACH account', {
    body: json(achAccountRequest),
    answer: record(achAccount),
    notShown: [KEYS],
  }),
  updateAchAccount: put('/shopachaccount/{shopACHAccountId}', 'Updates an ACH account', {
    body: json(achAccountRequest),
    answer: record(achAccount),
    notShown: [KEYS, 'Body and answer: as for the create operation.'],
  }),
  deleteAchAccount: del('/shopachaccount/{shopACHAccountId}', 'Deletes an ACH account', {
    answer: none,
    notShown: [KEYS],
  }),
  denyAchTransaction: post('/transaction/{achTransactionId}/denied', 'Denies an ACH transaction', {
    answer: recordOrNone(achTransaction),
    notShown: [KEYS, 'The answer: the ACH transaction, denied.'],
  }),
  captureAchTransaction: post(
    '/transaction/{transactionId}/capture',
    'Captures an ACH transaction',
    {
      answer: recordOrNone(achTransaction),
      notShown: [
        KEYS,
        'The answer: the ACH transaction, captured.',
        'What {transactionId} is: the id of the ACH transaction.',
      ],
    },
  ),
  receiveAchCallback: get('/webhooks/ext', 'Callback of the payment provider', {
    needs: [],
    writes: true,
    query: query(
      text(
        'pay_link_id',
        'pay_link_type',
        'pay_link_callback',
        'payment_source_id',
        'charge_id',
        'tip_id',
      ),
    ),
    answer: { kind: 'html' },
    notShown: ['Credentials: none, it is the browser of a customer that comes here.'],
  }),
})
