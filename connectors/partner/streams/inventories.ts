import { boolean, decimal, defineList, integer, json, text, timestamp } from '../../stream.ts'

/** The rooms of a store, where quantities lie. The documented list holds active ones only. */
export const inventories = defineList({
  name: 'inventories',
  singular: 'inventory',
  title: 'inventories (rooms), active ones',
  path: '/api/v1/partner/store/inventories',
  optional: true,
  ofShop: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'dryRoom'),
    ...text('name', 'type', 'externalId', 'complianceInvRoomName'),
    ...decimal('quantity'),
    ...integer('complianceInvRoomId'),
    ...json('regionIds', 'roomType'),
  },
})
