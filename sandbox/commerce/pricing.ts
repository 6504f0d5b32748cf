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
  const sum = (field: SummedField): number => lines.reduce((all, line) => all + line[field], 0)
  const [retail, lineDiscount, cartDiscount] = [sum('cost'), sum('discount'), sum('cartDiscount')]
  const [city, excise, state, county] = [sum('city'), sum('excise'), sum('state'), sum('county')]
  const subTotal = retail - lineDiscount
  const due = subTotal - cartDiscount + deliveryFee + cardFee + city + excise + state + county
  const afterTaxDiscount = due > extra.loyalty ? extra.loyalty : 0
  const exact = due - afterTaxDiscount
  const total = Math.round(exact / extra.step) * extra.step
  return {
    lines,
    retail,
    lineDiscount,
    subTotal,
    cartDiscount,
    cartPercentOff,
    afterTaxDiscount,
    city,
    excise,
    state,
    county,
    statePre: sum('statePre'),
    deliveryFee,
    cardFee,
    rounding: total - exact,
    total,
  }
}

type SummedField =
  | 'cost'
  | 'discount'
  | 'cartDiscount'
  | 'city'
  | 'excise'
  | 'state'
  | 'county'
  | 'statePre'
