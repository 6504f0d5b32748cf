import { choice, json, none, page, paging, query, record, text, update } from './fields.ts'
import { del, get, group, post, put, WEBHOOK_TYPES } from './operation.ts'
import { webHook, webHookAddRequest } from './resources/webhook.ts'

export const webHooks = group('Webhooks', '/api/v1/partner/webHooks', {
  createWebHook: post('', 'Registers a webhook', {
    body: json(webHookAddRequest),
    answer: record(webHook),
    notShown: ['Which addresses are taken: https, and http to loopback.'],
  }),
  updateWebHook: put('/{webHookId}', 'Replaces a webhook: send it whole', {
    body: json(update(webHook)),
    answer: record(webHook),
  }),
  getWebHook: get('/{webHookId}', 'One webhook', { answer: record(webHook) }),
  listWebHooks: get('', 'Webhooks', {
    query: query({ ...text('shopId'), webHookType: choice(WEBHOOK_TYPES), ...paging('start') }),
    answer: page(webHook),
    notShown: ['The name of the type filter: webHookType.'],
  }),
  deleteWebHook: del('/{id}', 'Deletes a webhook', { answer: none }),
})
