import {
  choice,
  choices,
  companyRecord,
  flag,
  int32,
  many,
  no,
  number,
  open,
  openChoiceOr,
  openList,
  required,
  resource,
  shopRecord,
  text,
  texts,
  timestamp,
  yes,
  zeroInt32,
} from '../fields.ts'

const goods = texts(
  'categoryIds',
  'productIds',
  'vendorIds',
  'productTags',
  'brandIds',
  'smartCollectionIds',
)

const rule = resource(
  'PromotionRule',
  {
    ...companyRecord,
    ruleType: openChoiceOr('None'),
    ...goods,
    ...text('categoryId', 'productId', 'vendorId'),
    ...number('minAmt', 'maxAmt'),
    ...flag('all'),
  },
  'Values of ruleType beyond None.',
)

const exclusion = resource('PromoProductExclusion', goods)

const terms = {
  ...required.text('name'),
  ...text('promoDesc', 'promocode'),
  version: choice(['V1', 'V2', 'V3'], 'V1'),
  ...int32('dayStartTime', 'dayEndTime'),
  ...number('discountAmt', 'maxCashValue', 'lowerPriceBound', 'upperPriceBound'),
  ...timestamp('startDate', 'endDate'),
  ...zeroInt32('maxAvailable', 'usageCount', 'limitPerCustomer', 'maxApps', 'limitPerXDays'),
  ...no(
    'promoCodeRequired',
    'consumerFacing',
    'enableMaxAvailable',
    'enableLimitPerCustomer',
    'restrictMemberGroups',
    'enableBOGO',
    'enableDayDuration',
    'scalable',
    'targetPriceRange',
  ),
  ...no(
    'mon',
    'tues',
    'wed',
    'thur',
    'fri',
    'sat',
    'sun',
    'enableMultiApps',
    'enableLimitPerXDays',
    'includeAnonymous',
  ),
  ...yes('active', 'stackable', 'enablePromoCode'),
  ...texts('memberGroupIds', 'promoCodes'),
  rules: many(rule),
  ...openList('criteriaGroups'),
  target: open('target').target.nullable().default(null),
  exclusions: many(exclusion),
}

export const promotionRequest = resource('PromotionRequest', terms)

/** An empty `salesChannels`, or one with Ecommerce, makes the promotion consumer-facing. */
export const promotion = resource(
  'Promotion',
  {
    ...shopRecord,
    ...terms,
    ...text('companyPromoId', 'referralPrefix', 'importId', 'finalizedDiscountId'),
    ...no(
      'referralCode',
      'lowestPriceFirst',
      'restrictConsumerTypes',
      'autoApply',
      'enableMultiApplies',
      'enableUsageCooldownInDays',
    ),
    ...number('referralPoints'),
    promotionType: choice(
      ['Cart', 'Product', 'DeliveryFee', 'BOGO', 'Bundle', 'VarietyBundle'],
      'Cart',
    ),
    rank: openChoiceOr('Lowest'),
    promoSource: choice(['Manual', 'MemberGroup'], 'Manual'),
    ...yes('assigned'),
    ...texts('consumerTypes'),
    salesChannels: choices([
      'Any',
      'Ecommerce',
      'Mobile',
      'ScanToShop',
      'Retail',
      'Kiosk',
      'CFD',
      'Delivery',
    ]),
    ...zeroInt32('maxApplies'),
    groupProductsBy: choice(['None', 'Brand', 'Category', 'Vendor'], 'None'),
    ...flag('thirdPartyLoyaltyEnabled'),
  },
  'Fields after thirdPartyLoyaltyEnabled.',
)

export const loyaltyReward = resource('LoyaltyReward', {
  ...shopRecord,
  ...required.text('name'),
  ...text('rewardNo', 'slug', 'detail', 'promotionId', 'finalizedDiscountId', 'requestId'),
  ...zeroInt32('points'),
  ...yes('active', 'assigned'),
  loyaltyType: choice(['Regular', 'Promotion'], 'Regular'),
  ...no('published'),
  ...timestamp('publishedDate', 'unpublishedDate', 'startDate', 'endDate'),
  ...texts('productIds', 'categoryIds', 'vendorIds', 'productTags'),
  ...number('discountAmt'),
  rewardTarget: choice(
    [
      'WholeCart',
      'DiscountedSubtotal',
      'DeliveryFee',
      'AllSelectedProducts',
      'OneFromProducts',
      'OneFromCategories',
      'OneFromVendors',
      'OneFromProductTags',
    ],
    'WholeCart',
  ),
})
