import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'
import { feeOf } from '../seed/payments.ts'
import { cents } from '../values/money.ts'
import type { AskedCart, AskedItem } from './asked-cart.ts'
import type { PricedCart, PricedLine } from './pricing.ts'
import { addTaxes, spreadCartDiscount, startLine, sumUp } from './pricing.ts'
import { findPromotion, promotionDiscount } from './promotions.ts'
import { textOf } from './values.ts'

/** A line with what it is. */
export interface PricedItem extends PricedLine {
  item: AskedItem
  unitPrice: number
}

/** A cart with its prices, and what made them. */
export interface PricedOrder {
  asked: AskedCart
  money: PricedCart<PricedItem>
  promotion: JsonRecord | undefined
  reward: JsonRecord | undefined
  consumerType: string
  delivery: boolean
}

export interface Buyer {
  member: JsonRecord | undefined
  consumer: JsonRecord | undefined
  delivery: boolean
  nowMs: number
}

const DELIVERY_CENTS = 500

/**
 * Prices a cart as the tills of this store would: its lines, promotions and rewards, its fees and
 * taxes.
 */
export function priceCart(world: World, asked: AskedCart, buyer: Buyer): PricedOrder {
  const { shop } = world
  const { member, delivery } = buyer
  const consumerType = consumerTypeOf(asked, buyer)
  const medical = consumerType.startsWith('Medicinal')
  const lines = asked.items.map(priceItem)
  const promotion = promotionOf(world, asked, { lines, consumerType, nowMs: buyer.nowMs })
  const promoted = promotion === undefined ? 0 : promotionDiscount(promotion, lines.map(netOf))
  spreadCartDiscount(lines, asked.percentOff, asked.amountOff + promoted)
  for (const line of lines) addTaxes(shop, line, isCannabis(world, line.item.product), medical)
  const { rewardName, paymentOption } = asked
  const reward = rewardName === undefined ? undefined : findReward(world, rewardName, member)
  const money = sumUp(lines, asked.percentOff, {
    deliveryFee: delivery && lines.length > 0 ? DELIVERY_CENTS : 0,
    cardFee: lines.length > 0 ? feeOf(paymentOption) : 0,
    step: paymentOption === 'Cash' ? shop.cashStep : 1,
    loyalty: cents(reward?.['discountAmt']) ?? 0,
  })
  return { asked, money, promotion, reward, consumerType, delivery }
}

const consumerTypeOf = (asked: AskedCart, { member, consumer }: Buyer): string =>
  textOf(member?.['consumerType']) ??
  textOf(consumer?.['consumerType']) ??
  asked.consumerType ??
  'AdultUse'

function priceItem(item: AskedItem): PricedItem {
  const unitPrice = cents(item.product['unitPrice']) ?? 0
  const line = startLine(item.quantity, unitPrice, item.percentOff, item.amountOff)
  return { item, unitPrice, ...line }
}

const netOf = ({ item, cost, discount }: PricedItem): { product: JsonRecord; net: number } => ({
  product: item.product,
  net: cost - discount,
})

/** The promotion that the cart names, if it does; refused where it may not be used. */
function promotionOf(
  { shop, lists }: World,
  { promoCode }: AskedCart,
  cart: { lines: readonly PricedItem[]; consumerType: string; nowMs: number },
): JsonRecord | undefined {
  if (promoCode === undefined) return undefined
  return findPromotion(lists.promotions.all(), promoCode, {
    nowMs: cart.nowMs,
    timeZone: shop.timeZone,
    consumerType: cart.consumerType,
    subTotal: cart.lines.reduce((sum, line) => sum + line.cost - line.discount, 0),
  })
}

/** Of the product's category, and where that is unknown of the product itself. */
export function isCannabis({ lists }: World, product: JsonRecord): boolean {
  const category =
    typeof product['categoryId'] === 'string'
      ? lists.categories.get(product['categoryId'])
      : undefined
  return (
    category?.['cannabis'] === true ||
    (category === undefined && product['cannabisType'] !== 'NON_CANNABIS')
  )
}

/** Reading: a reward costs its `points` and gives `discountAmt` after taxes. */
function findReward({ lists }: World, name: string, member: JsonRecord | undefined): JsonRecord {
  const reward = [...lists.rewards.all()].find(
    known =>
      known['deleted'] !== true &&
      known['active'] !== false &&
      known['published'] === true &&
      (known['name'] === name || known['id'] === name),
  )
  if (reward === undefined)
    throw invalid('rewardName', 'There is no published reward with this name')
  if (Number(member?.['loyaltyPoints'] ?? 0) < Number(reward['points'] ?? 0))
    throw invalid('rewardName', 'The member has too few loyalty points for this reward')
  return reward
}
