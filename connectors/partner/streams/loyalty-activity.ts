import { boolean, decimal, defineList, person, text, timestamp } from '../../stream.ts'

/**
 * Points that members earned and spent. The documentation shows neither parameters nor fields; what
 * else comes stays in `raw`.
 */
export const loyaltyActivity = defineList({
  name: 'loyalty_activity',
  singular: 'loyalty_activity_entry',
  title: 'loyalty points earned and spent',
  path: '/api/v1/partner/loyalty/activity',
  optional: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted'),
    ...text('activityType', 'transNo', 'employeeId'),
    ...person.text('memberId', 'note'),
    ...decimal('amount', 'balance'),
  },
})
