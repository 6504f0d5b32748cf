import { boolean, defineStream, text, timestamp } from '../../stream.ts'

/** Where the API sends its events to (PartnerWebHook). Targets may carry an unguessable path, so they stay in `raw`. */
export const webhooks = defineStream({
  name: 'webhooks',
  singular: 'webhook',
  title: 'registered webhooks',
  path: '/api/v1/partner/webHooks',
  optional: true,
  window: 'whole',
  offset: 'start',
  pageCap: 100,
  cursor: 'modified',
  eventTimes: ['modified'],
  lookbackDays: 0,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted'),
    ...text('webHookType'),
  },
  children: {},
})
