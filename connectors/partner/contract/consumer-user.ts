import { binary, cuid, json, multipart, query, record, required, text, update } from './fields.ts'
import { get, group, post } from './operation.ts'
import { consumerUser, contractSignRequest, verificationStatus } from './resources/consumer-user.ts'

const needs = ['store', 'consumer'] as const
const photo = {
  needs,
  query: query(cuid),
  body: multipart(query({ ...text('name'), ...required.file('file') })),
  answer: record(consumerUser),
  emits: ['UPDATE_CONSUMER_USER'],
} as const

export const consumerUsers = group('Consumer user', '/api/v1/partner/store/user', {
  getConsumerUser: get('', 'The consumer', {
    needs,
    query: query(cuid),
    answer: record(consumerUser),
  }),
  updateConsumerUser: post('', 'Replaces the consumer: send it whole', {
    needs,
    query: query(cuid),
    body: json(update(consumerUser)),
    answer: record(consumerUser),
    emits: ['UPDATE_CONSUMER_USER'],
  }),
  verifyConsumerUser: get('/verify', 'State of a recommendation', {
    needs,
    query: query({ ...cuid, ...text('recNo', 'websiteType') }),
    answer: record(verificationStatus),
  }),
  signContract: post('/sign', 'Signs a contract', {
    needs,
    query: query(cuid),
    body: json(contractSignRequest),
    answer: record(consumerUser),
    emits: ['UPDATE_CONSUMER_USER'],
  }),
  uploadDlPhoto: post('/dlPhoto', 'Uploads the photo of a licence', photo),
  uploadRecPhoto: post('/recPhoto', 'Uploads the photo of a recommendation', {
    ...photo,
    notShown: ['Request and answer: as for the photo of a licence.'],
  }),
  getConsumerAsset: get('/assets/{assetKey}', 'A file of the consumer', {
    needs,
    query: query(cuid),
    answer: binary('image/jpeg', 'image/png', 'application/pdf'),
    notShown: ['The answer: the file.'],
  }),
})
