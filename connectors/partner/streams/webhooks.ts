import { boolean, defineList, text, timestamp } from '../../stream.ts'

/**
 * Where the API sends its events to (PartnerWebHook). Targets may carry an unguessable path, so
 * they stay in `raw`.
 */
export const webhooks = defineList({
  name: 'webhooks',
  singular: 'webhook',
  title: 'registered webhooks',
  path: '/api/v1/partner/webHooks',
  optional: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted'),
    ...text('webHookType'),
  },
})
