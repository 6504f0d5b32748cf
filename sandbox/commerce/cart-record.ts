import type { JsonRecord } from '../model/collection.ts'
import type { Portion } from '../stock/stock-room.ts'
import { decimal } from '../values/money.ts'
import { quantity as tenThousandths } from '../values/quantity.ts'
import type { Paid } from './pay.ts'
import { cashOf } from './pay.ts'
import type { PricedItem, PricedOrder } from './price-cart.ts'
import type { PricedLine } from './pricing.ts'

/** How far the order has come that a cart belongs to. */
export interface Progress {
  /** Of the order: its lines are numbered from it. */
  id: string
  payments: readonly Paid[]
  /** By place in the cart, once goods have left the shelves. */
  lots?: readonly (readonly Portion[])[]
}

/**
 * `cart` of consumer carts and transactions, in the fields of the seeded transactions
 * (`seed/transaction-json.ts`).
 */
export function cartRecord(
  { asked, money, promotion, reward, consumerType, delivery }: PricedOrder,
  { id, payments, lots }: Progress,
): JsonRecord {
  const postTax = money.city + money.excise + money.state + money.county
  return {
    items: money.lines.map((line, at) =>
      itemRecord(line, line.item.orderItemId ?? `${id}${at}`, lots?.[at] ?? [], promotion),
    ),
    subTotal: decimal(money.subTotal),
    discount: decimal(asked.percentOff === 0 ? asked.amountOff : asked.percentOff * 100),
    discountType: asked.amountOff === 0 ? 'Percentage' : 'Cash',
    calcCartDiscount: decimal(money.cartDiscount),
    subTotalDiscount: decimal(money.subTotal - money.cartDiscount),
    totalDiscount: decimal(money.lineDiscount + money.cartDiscount),
    afterTaxDiscount: decimal(money.afterTaxDiscount),
    appliedAfterTaxDiscount: decimal(money.afterTaxDiscount),
    pointSpent: decimal(money.afterTaxDiscount === 0 ? 0 : Number(reward?.['points'] ?? 0) * 100),
    rewardName: asked.rewardName ?? '',
    promoCode: asked.promoCode ?? '',
    promotionReqs:
      promotion === undefined
        ? []
        : [{ promotionId: promotion['id'], rewardName: promotion['name'] }],
    consumerType,
    tax: decimal(postTax),
    taxResult: taxRecord(money),
    totalPreCalcTax: decimal(money.statePre),
    totalCalcTax: decimal(postTax),
    totalExciseTax: decimal(money.excise),
    ...dueFields(money, { delivery, payments }),
    paymentOption: asked.paymentOption,
    paymentType: 'Full',
    storageLocation: 'CashDrawer',
  }
}

const NESTED_OF_PRODUCT = [
  'id',
  'name',
  'sku',
  'categoryId',
  'brandId',
  'vendorId',
  'weightPerUnit',
  'isGiftCard',
]

/** Fees, the total, and how much of it is still open. */
function dueFields(
  money: PricedOrder['money'],
  { delivery, payments }: { delivery: boolean; payments: readonly Paid[] },
): JsonRecord {
  const paid = payments.reduce((sum, row) => sum + row.paid, 0)
  const { cash, change } = cashOf(payments)
  return {
    enableDeliveryFee: delivery,
    deliveryFee: decimal(money.deliveryFee),
    deliveryDiscount: decimal(0),
    enableCreditCardFee: money.cardFee > 0,
    creditCardFee: decimal(money.cardFee),
    roundAmt: decimal(money.rounding),
    total: decimal(money.total),
    balanceDue: decimal(Math.max(0, money.total - paid)),
    cashReceived: decimal(cash),
    changeDue: decimal(change),
  }
}

function itemRecord(
  line: PricedItem,
  orderItemId: string,
  lots: readonly Portion[],
  promotion: JsonRecord | undefined,
): JsonRecord {
  const { item, quantity, percentOff } = line
  const { product } = item
  return {
    orderItemId,
    productId: product['id'],
    batchId: lots[0]?.batchId ?? item.batchId ?? '',
    status: 'Active',
    finalized: item.finalized,
    quantity: decimal(quantity),
    origQuantity: decimal(quantity),
    unitPrice: decimal(line.unitPrice),
    cost: decimal(line.cost),
    discount: decimal(percentOff === 0 ? item.amountOff : percentOff * 100),
    discountType: item.amountOff === 0 ? 'Percentage' : 'Cash',
    calcDiscount: decimal(line.discount),
    finalPrice: decimal(line.cost - line.discount),
    calcTax: decimal(line.city + line.excise + line.state + line.county),
    calcPreTax: decimal(line.statePre),
    taxType: 'Default',
    taxOrder: line.statePre === 0 ? 'PostTaxed' : 'PreTaxed',
    taxResult: taxRecord(line),
    quantityLogs: lots.map(({ inventoryId, batchId, amount }) => ({
      inventoryId,
      batchId,
      quantity: tenThousandths(amount),
    })),
    promotionReqs:
      promotion === undefined || line.cartDiscount === 0 ? [] : [{ promotionId: promotion['id'] }],
    product: Object.fromEntries(NESTED_OF_PRODUCT.map(field => [field, product[field]])),
  }
}

/** Reading: the whole excise is post-tax; see `writeTaxes` of the seeded transactions. */
export function taxRecord(
  tax: Pick<PricedLine, 'city' | 'excise' | 'state' | 'county' | 'statePre'>,
): JsonRecord {
  const [zero, pre, excise] = [decimal(0), decimal(tax.statePre), decimal(tax.excise)]
  return {
    totalPreCalcTax: pre,
    totalPostCalcTax: decimal(tax.city + tax.excise + tax.state + tax.county),
    totalCityTax: decimal(tax.city),
    totalCountyTax: decimal(tax.county),
    totalStateTax: decimal(tax.state),
    totalExciseTax: excise,
    totalFedTax: zero,
    totalCityPreTax: zero,
    totalCountyPreTax: zero,
    totalStatePreTax: pre,
    totalFedPreTax: zero,
    totalALExciseTax: excise,
    totalNALPreExciseTax: zero,
    totalALPostExciseTax: excise,
  }
}
