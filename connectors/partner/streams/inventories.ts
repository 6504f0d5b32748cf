import { boolean, decimal, defineStream, integer, json, text, timestamp } from '../../stream.ts'

/** The rooms of a store, where quantities lie. The documented list holds active ones only. */
export const inventories = defineStream({
  name: 'inventories',
  singular: 'inventory',
  title: 'inventories (rooms), active ones',
  path: '/api/v1/partner/store/inventories',
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
    ...boolean('deleted', 'active', 'dryRoom'),
    ...text('name', 'type', 'externalId', 'complianceInvRoomName'),
    ...decimal('quantity'),
    ...integer('complianceInvRoomId'),
    ...json('regionIds', 'roomType'),
  },
  children: {},
})
