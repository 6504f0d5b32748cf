import { boolean, decimal, defineList, integer, json, text, timestamp } from '../../stream.ts'

/**
 * What members exchange their points for. Sorted by points, at most 200 a page (limits of the
 * documentation).
 */
export const rewards = defineList({
  name: 'rewards',
  singular: 'reward',
  title: 'loyalty rewards',
  path: '/api/v1/partner/loyalty/rewards',
  optional: true,
  pageCap: 200,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified', 'publishedDate', 'unpublishedDate', 'startDate', 'endDate'),
    ...boolean('deleted', 'active', 'published', 'assigned'),
    ...text(
      'name',
      'rewardNo',
      'slug',
      'detail',
      'loyaltyType',
      'rewardTarget',
      'promotionId',
      'finalizedDiscountId',
      'requestId',
    ),
    ...integer('points'),
    ...decimal('discountAmt'),
    ...json('productIds', 'categoryIds', 'vendorIds', 'productTags'),
  },
})
