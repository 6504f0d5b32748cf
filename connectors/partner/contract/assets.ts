import { choice, flag, multipart, query, record, required, text } from './fields.ts'
import { get, group, post } from './operation.ts'
import { ASSET_TYPES, companyAsset } from './resources/asset.ts'

const upload = {
  body: multipart(
    query({ ...required.file('file'), ...text('name'), assetType: choice(ASSET_TYPES) }),
  ),
  answer: record(companyAsset),
  notShown: ['Size limits: none.', 'Which parts are required: the file.'],
}

const DAY_SECONDS = 86_400

export const assets = group('Assets', '/api/v1/partner/asset', {
  uploadPrivateAsset: post('/upload/private', 'Uploads a file with restricted access', upload),
  uploadPublicAsset: post('/upload/public', 'Uploads a file with public access', upload),
  getAsset: get('/{assetKey}', 'A file', {
    query: query(flag('handleError')),
    answer: {
      kind: 'binary',
      types: ['image/jpeg', 'application/pdf', 'image/png'],
      cacheSeconds: 30 * DAY_SECONDS,
    },
    notShown: ['What handleError does: nothing here.'],
  }),
})
