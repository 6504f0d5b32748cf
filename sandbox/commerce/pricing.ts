import type { Shop } from '../seed/stores.ts'
import { share } from '../values/money.ts'

/**
 * What taxes and discounts make of one line. Money is cents, quantities are hundredths (of a piece
 * or of a gram).
 */
export interface PricedLine {
  quantity: number
  /** quantity x unitPrice. */
  cost: number
  discount: number
  percentOff: number
  /** Its part of the cart's discount. */
  cartDiscount: number
  city: number
  excise: number
  state: number
  county: number
  /** Sales tax that the price includes. */
  statePre: number
}

/**
 * The money of one cart; every field is the sum of its lines, so that header and lines agree to the
 * cent.
 */
export interface PricedCart<Line extends PricedLine = PricedLine> {
  lines: readonly Line[]
  retail: number
  lineDiscount: number
  subTotal: number
  cartDiscount: number
  cartPercentOff: number
  afterTaxDiscount: number
  city: number
  excise: number
  state: number
  county: number
  statePre: number
  deliveryFee: number
  cardFee: number
  rounding: number
  total: number
}

/** What is added to a cart beside its lines. */
export interface Extras {
  deliveryFee: number
  cardFee: number
  /** Round the total to this many cents, for cash. */
  step: number
  /** What loyalty points pay, after taxes; not used where it would pay for everything. */
  loyalty: number
}

/** A line before discounts of the cart and taxes. */
export function startLine(
  quantity: number,
  unitPrice: number,
  percentOff: number,
  amountOff = 0,
): PricedLine {
  const cost = share(quantity * unitPrice, 100)
  return {
    quantity,
    cost,
    percentOff,
    discount: Math.min(cost, share(cost, percentOff * 100) + amountOff),
    cartDiscount: 0,
    city: 0,
    excise: 0,
    state: 0,
    county: 0,
    statePre: 0,
  }
}

/**
 * Spreads a discount of the cart, percent and cents, over its lines: running sums rounded, so that
 * the parts always add up to the whole.
 */
export function spreadCartDiscount(
  lines: readonly PricedLine[],
  percentOff: number,
  amountOff = 0,
): void {
  if (percentOff === 0 && amountOff === 0) return
  const whole = lines.reduce((sum, line) => sum + line.cost - line.discount, 0)
  const amount = Math.min(amountOff, whole - share(whole, percentOff * 100))
  let before = 0
  let given = 0
  for (const line of lines) {
    before += line.cost - line.discount
    const soFar =
      share(before, percentOff * 100) + (whole === 0 ? 0 : Math.round((amount * before) / whole))
    line.cartDiscount = Math.min(soFar - given, line.cost - line.discount)
    given += line.cartDiscount
  }
}

/**
 * Medical buyers pay no sales tax; goods without cannabis pay nothing else. Excise is on net and
 * city, sales tax on all of it.
 */
export function addTaxes(
  shop: Pick<Shop, 'taxes' | 'accessoriesIncludeTax'>,
  line: PricedLine,
  cannabis: boolean,
  medical: boolean,
): void {
  const { taxes } = shop
  const net = line.cost - line.discount - line.cartDiscount
  if (!cannabis) {
    if (shop.accessoriesIncludeTax) {
      line.statePre = net - Math.round((net * 10_000) / (10_000 + taxes.state))
      return
    }
  } else {
    line.city = share(net, taxes.city)
    line.excise = share(net + line.city, taxes.excise)
  }
  if (medical) return
  const base = net + line.city + line.excise
  line.state = share(base, taxes.state)
  line.county = share(base, taxes.county)
}

/**
 * Total due = retail - discounts + fees + post-taxes - after-tax discounts + rounding. That is the
 * published identity: net sales take the pre-taxes out and total due puts them back in.
 */
export function sumUp<Line extends PricedLine>(
  lines: readonly Line[],
  cartPercentOff: number,
  extra: Extras,
): PricedCart<Line> {
  const { deliveryFee, cardFee } = extra
  const cart = {
    lines,
    retail: 0,
    lineDiscount: 0,
    subTotal: 0,
    cartDiscount: 0,
    cartPercentOff,
    afterTaxDiscount: 0,
    city: 0,
    excise: 0,
    state: 0,
    county: 0,
    statePre: 0,
    deliveryFee,
    cardFee,
    rounding: 0,
    total: 0,
  }
  for (const line of lines) {
    cart.retail += line.cost
    cart.lineDiscount += line.discount
    cart.cartDiscount += line.cartDiscount
    cart.city += line.city
    cart.excise += line.excise
    cart.state += line.state
    cart.county += line.county
    cart.statePre += line.statePre
  }
  cart.subTotal = cart.retail - cart.lineDiscount
  const due =
    cart.subTotal -
    cart.cartDiscount +
    deliveryFee +
    cardFee +
    cart.city +
    cart.excise +
    cart.state +
    cart.county
  cart.afterTaxDiscount = due > extra.loyalty ? extra.loyalty : 0
  const exact = due - cart.afterTaxDiscount
  cart.total = Math.round(exact / extra.step) * extra.step
  cart.rounding = cart.total - exact
  return cart
}
