/**
 * Promotions, rewards and points of a store, in the documentation's field names and with its
 * defaults. A table of facts.
 */
import { DAY_MS } from '../../calendar/days.ts'
import { decimal } from '../values/money.ts'
import { Dice, mix } from '../values/random.ts'
import type { Catalog } from './catalog.ts'
import type { Members } from './members.ts'
import type { Shop } from './stores.ts'

/** `percent` off the cart, or off the goods of one category (its place in the catalog). */
interface SeededPromotion {
  name: string
  promocode: string
  percent: number
  category?: number
  days?: readonly string[]
  active?: boolean
  medical?: boolean
}

const PROMOTIONS: readonly SeededPromotion[] = [
  { name: 'First Visit 15', promocode: 'HELLO15', percent: 15 },
  { name: 'Happy Hour', promocode: 'HAPPY10', percent: 10, days: ['mon', 'tues', 'wed', 'thur'] },
  { name: 'Edible Sunday', promocode: 'SWEET20', percent: 20, category: 4, days: ['sun'] },
  { name: 'Vape Friday', promocode: 'CLOUD15', percent: 15, category: 3, days: ['fri'] },
  { name: 'Medical Thank You', promocode: 'CARE10', percent: 10, medical: true },
  { name: 'Grand Opening', promocode: 'OPEN25', percent: 25, active: false },
]

export const promotionRecords = (shop: Shop, catalog: Catalog): object[] =>
  PROMOTIONS.map(promotion => promotionRecord(shop, catalog, promotion))

function promotionRecord(shop: Shop, catalog: Catalog, promotion: SeededPromotion): object {
  const { name, promocode, percent, category, active = true } = promotion
  const goods = category === undefined ? undefined : catalog.categories[category]!
  return {
    name,
    promoDesc: `${percent} % off${goods === undefined ? '' : ` ${goods.name}`}`,
    promocode,
    promoCodes: [promocode],
    promoCodeRequired: true,
    enablePromoCode: true,
    active,
    promotionType: goods === undefined ? 'Cart' : 'Product',
    version: 'V1',
    rank: 'Lowest',
    promoSource: 'Manual',
    discountType: 'Percentage',
    discountAmt: decimal(percent * 100),
    maxCashValue: decimal(0),
    startDate: shop.timeline.startMs - 200 * DAY_MS,
    ...(active ? {} : { endDate: shop.timeline.startMs - 170 * DAY_MS }),
    maxAvailable: 0,
    usageCount: 0,
    limitPerCustomer: 0,
    stackable: true,
    consumerFacing: true,
    salesChannels: ['Any'],
    ...promotionLimits(promotion),
    rules: goods === undefined ? [] : [categoryRule(goods.id)],
    criteriaGroups: [],
    target: null,
    exclusions: [],
    memberGroupIds: [],
    autoApply: false,
    assigned: true,
    referralCode: false,
    groupProductsBy: 'None',
  }
}

const WEEK = ['mon', 'tues', 'wed', 'thur', 'fri', 'sat', 'sun']

/** Whom it is for, and on which days. */
const promotionLimits = ({ medical = false, days = [] }: SeededPromotion): object => ({
  restrictConsumerTypes: medical,
  consumerTypes: medical ? ['MedicinalState', 'MedicinalThirdParty'] : [],
  enableDayDuration: days.length > 0,
  ...Object.fromEntries(WEEK.map(day => [day, days.includes(day)])),
})

const categoryRule = (categoryId: string): object => ({
  ruleType: 'ByCategory',
  categoryIds: [categoryId],
  productIds: [],
  vendorIds: [],
  brandIds: [],
  productTags: [],
  all: false,
})

const REWARDS: readonly { name: string; points: number; cents: number }[] = [
  { name: 'Sticker Pack', points: 25, cents: 200 },
  { name: '$5 Off', points: 100, cents: 500 },
  { name: '$10 Off', points: 200, cents: 1000 },
  { name: 'Free Delivery', points: 120, cents: 500 },
  { name: '$25 Off', points: 450, cents: 2500 },
  { name: 'Anniversary Gift', points: 900, cents: 6000 },
]

export const rewardRecords = (shop: Shop): object[] =>
  REWARDS.map(({ name, points, cents }, at) => ({
    rewardNo: `R-${String(at + 1).padStart(4, '0')}`,
    slug: name.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    name,
    detail: `${name} for ${points} points`,
    points,
    active: true,
    loyaltyType: 'Regular',
    published: true,
    publishedDate: shop.timeline.startMs - 90 * DAY_MS,
    discountAmt: decimal(cents),
    discountType: 'Cash',
    rewardTarget: name === 'Free Delivery' ? 'DeliveryFee' : 'WholeCart',
    assigned: true,
    productIds: [],
    categoryIds: [],
    vendorIds: [],
    productTags: [],
  }))

/** What some members earned and spent; fields are not shown. */
export function activityRecords(shop: Shop, members: Members): object[] {
  return Array.from({ length: 120 }, (_, at) => {
    const dice = new Dice(mix(shop.seed, 0xac7 + at))
    const member = dice.pick(members.all)
    const modified = shop.timeline.momentAfter(member.created, dice)
    const earned = dice.chance(0.8)
    const points = earned ? dice.between(5, 120) : -dice.pick([25, 100, 200])
    return {
      modified,
      memberId: member.id,
      activityType: earned ? 'Earn' : 'Spend',
      amount: decimal(points * 100),
      note: earned ? 'Purchase' : 'Reward',
      activityDate: modified,
    }
  })
}
