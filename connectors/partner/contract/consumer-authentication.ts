import { json, query, record, text } from './fields.ts'
import { get, group, post } from './operation.ts'
import {
  consumerAuthResult,
  consumerCreateRequest,
  consumerLoginRequest,
  consumerUser,
} from './resources/consumer-user.ts'

export const consumerAuthentication = group('Consumer authentication', '/api/v1/partner/user', {
  getConsumer: get('/{cuid}', 'One consumer', { answer: record(consumerUser) }),
  findConsumer: get('/find', 'One consumer by email or phone number', {
    query: query(text('email', 'phoneNumber', 'country')),
    answer: record(consumerUser),
    notShown: ['The answer when nobody is found: an error with status 404.'],
  }),
  registerConsumer: post('/register', 'Registers a consumer', {
    body: json(consumerCreateRequest),
    answer: record(consumerUser),
    emits: ['NEW_CONSUMER_SIGNUP'],
  }),
  loginConsumer: post(
    '/login',
    'Logs a consumer in; the access token also comes in the header X-Auth-Token',
    {
      body: json(consumerLoginRequest),
      answer: { kind: 'record', schema: consumerAuthResult, headers: ['X-Auth-Token'] },
      notShown: [
        'How the token is presented later: as the header X-Auth-Token.',
        'How long it is valid: see expirationTime.',
      ],
    },
  ),
})
