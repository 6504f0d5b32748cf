import { boolean, decimal, defineList, integer, json, text, timestamp } from '../../stream.ts'

/** Where a store delivers to, and for how much (ExtRegion). */
export const regions = defineList({
  name: 'regions',
  singular: 'region',
  title: 'delivery regions',
  path: '/api/v1/partner/regions',
  optional: true,
  offset: 'skip',
  columns: {
    ...text('id', 'companyId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'regionDefault'),
    ...text('name', 'openAt', 'closeAt', 'zoneType', 'taxRuleId', 'fileZone', 'kmlColor'),
    ...decimal(
      'latitude',
      'longitude',
      'deliveryFee',
      'minOrderAmount',
      'freeDeliveryAfter',
      'deliveryCharge',
    ),
    ...integer('openAtNumeric', 'closeAtNumeric'),
    ...json('daysClose', 'zipCodes', 'allowedConsumerTypes', 'kmlEdges'),
  },
})
