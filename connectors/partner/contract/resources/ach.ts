import { flag, number, resource, shopRecord, text } from '../fields.ts'

const fields = { ...text('name', 'provider', 'merchantId', 'externalId'), ...flag('active') }

export const achAccount = resource('ACHAccount', { ...shopRecord, ...fields }, 'All fields.')
export const achAccountRequest = resource(
  'ACHAccountRequest',
  { ...text('companyId', 'shopId'), ...fields },
  'All fields; read as those of the account.',
)

export const achTransaction = resource(
  'ACHTransaction',
  {
    ...shopRecord,
    ...text('status', 'chargeId', 'transactionId', 'memberId'),
    ...number('amount'),
  },
  'All fields, and the states: read as PENDING, CAPTURED, DENIED.',
)
