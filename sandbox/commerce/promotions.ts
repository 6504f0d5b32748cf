import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { dayOf } from '../values/calendar.ts'
import { cents, share } from '../values/money.ts'
import { recordsOf } from './values.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : [])
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const WEEKDAYS = ['sun', 'mon', 'tues', 'wed', 'thur', 'fri', 'sat'] as const

/** Every code that a promotion answers to. */
export const codesOf = (promotion: JsonRecord): string[] =>
  [...new Set([text(promotion['promocode']), ...texts(promotion['promoCodes'])])].filter(
    code => code !== '',
  )

/**
 * "`name` required and unique within the shop; promo codes unique across all promotions" (Errors,
 * 3); without case. Deleted ones free theirs.
 */
export function refuseTaken(promotion: JsonRecord, others: Iterable<JsonRecord>): void {
  const name = text(promotion['name'])
  const codes = codesOf(promotion)
  for (const other of others) {
    if (other['id'] === promotion['id'] || other['deleted'] === true) continue
    if (same(text(other['name']), name))
      throw invalid('name', 'A promotion with this name exists already')
    if (codesOf(other).some(taken => codes.some(code => same(code, taken))))
      throw invalid('promocode', 'A promotion with this promo code exists already')
  }
}

/**
 * "When `salesChannels` is empty or includes Ecommerce, the promotion is marked consumer-facing."
 */
export function isConsumerFacing(promotion: JsonRecord): boolean {
  const channels = texts(promotion['salesChannels'])
  return (
    channels.length === 0 || channels.includes('Ecommerce') || promotion['consumerFacing'] === true
  )
}

export interface OrderContext {
  nowMs: number
  timeZone: string
  consumerType: string
  /** Cents. */
  subTotal: number
}

/**
 * The promotion behind a code, if it may be used on this occasion; refused with the reason
 * otherwise.
 */
export function findPromotion(
  promotions: Iterable<JsonRecord>,
  code: string,
  occasion: OrderContext,
): JsonRecord {
  const found = [...promotions].find(
    promotion =>
      promotion['deleted'] !== true && codesOf(promotion).some(known => same(known, code)),
  )
  if (found === undefined) throw invalid('promoCode', 'There is no promotion with this code')
  const why = obstacle(found, occasion)
  if (why !== undefined) throw invalid('promoCode', why)
  return found
}

/** Why a promotion may not be used, or undefined. The first that holds is answered. */
function obstacle(promotion: JsonRecord, occasion: OrderContext): string | undefined {
  return OBSTACLES.find(({ holds }) => holds(promotion, occasion))?.message
}

interface Obstacle {
  message: string
  holds(promotion: JsonRecord, occasion: OrderContext): boolean
}

const numberOf = (promotion: JsonRecord, field: string): number => Number(promotion[field] ?? 0)

const OBSTACLES: readonly Obstacle[] = [
  {
    message: 'The promotion of this code is not active',
    holds: ({ active, enablePromoCode }) => active === false || enablePromoCode === false,
  },
  {
    message: 'The promotion of this code is not running now',
    holds: (promotion, { nowMs }) => {
      const endMs = numberOf(promotion, 'endDate')
      return numberOf(promotion, 'startDate') > nowMs || (endMs > 0 && endMs <= nowMs)
    },
  },
  {
    message: 'The promotion of this code does not run today',
    holds: (promotion, { nowMs, timeZone }) => {
      const weekday = new Date(`${dayOf(nowMs, timeZone)}T00:00:00Z`).getUTCDay()
      return promotion['enableDayDuration'] === true && promotion[WEEKDAYS[weekday]!] !== true
    },
  },
  {
    message: 'The promotion of this code is for other consumers',
    holds: ({ restrictConsumerTypes, consumerTypes }, { consumerType }) =>
      restrictConsumerTypes === true && !texts(consumerTypes).includes(consumerType),
  },
  {
    message: 'The promotion of this code is used up',
    holds: promotion =>
      promotion['enableMaxAvailable'] === true &&
      numberOf(promotion, 'usageCount') >= numberOf(promotion, 'maxAvailable'),
  },
  {
    message: 'The cart is outside of the price range of this promotion',
    holds: ({ targetPriceRange, lowerPriceBound, upperPriceBound }, { subTotal }) => {
      const low = cents(lowerPriceBound) ?? 0
      const high = cents(upperPriceBound) ?? 0
      return targetPriceRange === true && (subTotal < low || (high > 0 && subTotal > high))
    },
  },
]

/** The ids in a rule, and the field of a product that they are about. */
const RULE_FIELDS = {
  categoryIds: 'categoryId',
  productIds: 'id',
  vendorIds: 'vendorId',
  brandIds: 'brandId',
} as const

/**
 * Cents off before taxes. Reading: `discountAmt` is money unless `discountType` is Percentage,
 * `rules` name the goods it is for (none: all), and `maxCashValue`, if there is one, is the most it
 * gives.
 */
export function promotionDiscount(
  promotion: JsonRecord,
  lines: readonly { product: JsonRecord; net: number }[],
): number {
  const wanted = recordsOf(promotion['rules'])
    .flatMap(rule =>
      Object.entries(RULE_FIELDS).map(([field, of]) => ({ of, ids: texts(rule[field]) })),
    )
    .filter(({ ids }) => ids.length > 0)
  const net = lines
    .filter(({ product }) => wanted.every(({ of, ids }) => ids.includes(text(product[of]))))
    .reduce((sum, line) => sum + line.net, 0)
  const amount = cents(promotion['discountAmt']) ?? 0
  const most = cents(promotion['maxCashValue']) ?? 0
  const off = Math.min(
    net,
    promotion['discountType'] === 'Percentage' ? share(net, Math.min(amount, 10_000)) : amount,
  )
  return most > 0 ? Math.min(off, most) : off
}
