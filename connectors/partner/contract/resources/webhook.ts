import { choice, required, resource, shopRecord, text, texts } from '../fields.ts'
import { WEBHOOK_TYPES } from '../operation.ts'

export const webHook = resource('PartnerWebHook', {
  ...shopRecord,
  ...text('url'),
  webHookType: choice(WEBHOOK_TYPES),
  ...texts('webHookUrls'),
})

export const webHookAddRequest = resource(
  'PartnerWebHookAddRequest',
  {
    ...required.texts('webHookUrls'),
    ...text('url', 'shopId'),
    webHookType: choice(WEBHOOK_TYPES),
  },
  'webHookType stands only in the registration example; ' +
    'it is taken, and without it a registration hears of all types.',
)
