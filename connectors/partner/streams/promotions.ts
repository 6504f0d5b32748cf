import { boolean, decimal, defineList, integer, json, text, timestamp } from '../../stream.ts'

/** Discounts and their rules. The documentation shows no parameters of this list. */
export const promotions = defineList({
  name: 'promotions',
  singular: 'promotion',
  title: 'promotions',
  path: '/api/v1/partner/loyalty/promotions',
  answers: 'complete',
  optional: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified', 'startDate', 'endDate'),
    ...boolean('deleted', 'active', 'stackable', 'consumerFacing', 'promoCodeRequired', 'enablePromoCode', 'autoApply', 'assigned', 'scalable', 'enableBOGO'),
    ...boolean('restrictMemberGroups', 'restrictConsumerTypes', 'lowestPriceFirst', 'referralCode', 'includeAnonymous', 'enableDayDuration'),
    ...boolean('mon', 'tues', 'wed', 'thur', 'fri', 'sat', 'sun'),
    ...text('name', 'promoDesc', 'promocode', 'promotionType', 'version', 'rank', 'promoSource', 'groupProductsBy', 'companyPromoId', 'importId', 'finalizedDiscountId'),
    ...decimal('discountAmt', 'maxCashValue', 'lowerPriceBound', 'upperPriceBound', 'referralPoints'),
    ...integer('maxAvailable', 'usageCount', 'limitPerCustomer', 'maxApps', 'maxApplies', 'limitPerXDays', 'dayStartTime', 'dayEndTime'),
    ...json('promoCodes', 'memberGroupIds', 'consumerTypes', 'salesChannels', 'rules', 'criteriaGroups', 'target', 'exclusions'),
  },
})
