import { share } from '../money.ts'
import type { Dice } from '../random.ts'
import type { Shop } from '../stores.ts'
import type { Catalog, Product } from './catalog.ts'
import type { Batch, Stock } from './stock.ts'

/** One line of a sale. Money is cents, quantities are hundredths (of a piece or of a gram). */
export interface Line {
  product: Product
  batches: readonly Batch[]
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

/** The money of one cart; every field is the sum of its lines, so that header and lines agree to the cent. */
export interface Cart {
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

export interface CartOptions {
  medical: boolean
  member: boolean
  delivery: boolean
  cardFee: number
  /** Round the total to this many cents, for cash. */
  step: number
}

const CART_SIZES = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4] as const

/** What somebody bought at `ms`: products, the lots they came from, discounts and taxes. */
export function fillCart(shop: Shop, catalog: Catalog, stock: Stock, ms: number, dice: Dice, options: CartOptions): Cart {
  const lines: Line[] = []
  const size = dice.pick(CART_SIZES)
  for (let at = 0; at < size; at++) lines.push(pickLine(catalog, stock, ms, dice))
  // Scanned twice instead of counted up: two lines that are the same in everything.
  if (dice.chance(0.01)) lines.push({ ...lines[0]! })
  const percentOff = dice.chance(0.09) ? dice.pick([5, 10, 15]) : 0
  spreadCartDiscount(lines, percentOff)
  for (const line of lines) addTaxes(shop, line, options.medical)
  return sumUp(lines, percentOff, {
    deliveryFee: options.delivery ? 500 : 0,
    cardFee: options.cardFee,
    step: options.step,
    loyalty: options.member && dice.chance(0.04) ? dice.pick([500, 1000]) : 0,
  })
}

/** Some lines of an earlier cart, as they were: discounts and taxes go back as they came. */
export function returnLines(cart: Cart, lines: readonly Line[], step: number): Cart {
  return sumUp(lines, cart.cartPercentOff, { deliveryFee: 0, cardFee: 0, step, loyalty: 0 })
}

function pickLine(catalog: Catalog, stock: Stock, ms: number, dice: Dice): Line {
  const product = catalog.products[dice.below(catalog.products.length)]!
  const received = stock.batchesOf[product.number]!
  let last = received.length - 1
  while (last > 0 && received[last]!.receivedMs > ms) last--
  const quantity = product.category.weighed ? dice.between(50, 1200) : dice.chance(0.8) ? 100 : dice.between(2, 3) * 100
  // The rest of one lot and the start of the next.
  const batches = quantity >= 200 && last > 0 && dice.chance(0.15) ? [received[last - 1]!, received[last]!] : [received[last]!]
  const percentOff = dice.chance(0.12) ? dice.pick([10, 20, 25, 100]) : 0
  const cost = share(quantity * product.unitPrice, 100)
  return { product, batches, quantity, cost, percentOff, discount: share(cost, percentOff * 100), cartDiscount: 0, city: 0, excise: 0, state: 0, county: 0, statePre: 0 }
}

/** Running sums rounded, so that the parts always add up to the whole discount. */
function spreadCartDiscount(lines: Line[], percentOff: number): void {
  if (percentOff === 0) return
  let before = 0
  let given = 0
  for (const line of lines) {
    before += line.cost - line.discount
    const soFar = share(before, percentOff * 100)
    line.cartDiscount = soFar - given
    given = soFar
  }
}

/** Medical buyers pay no sales tax; goods without cannabis pay nothing else. */
function addTaxes(shop: Shop, line: Line, medical: boolean): void {
  const { taxes } = shop
  const net = line.cost - line.discount - line.cartDiscount
  if (!line.product.category.cannabis) {
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
 * Total due = retail - discounts + fees + post-taxes - after-tax discounts + rounding. That is the published identity:
 * net sales take the pre-taxes out and total due puts them back in.
 */
function sumUp(lines: readonly Line[], cartPercentOff: number, extra: { deliveryFee: number; cardFee: number; step: number; loyalty: number }): Cart {
  const cart: Cart = {
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
    deliveryFee: extra.deliveryFee,
    cardFee: extra.cardFee,
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
  const due = cart.subTotal - cart.cartDiscount + cart.deliveryFee + cart.cardFee + cart.city + cart.excise + cart.state + cart.county
  cart.afterTaxDiscount = due > extra.loyalty ? extra.loyalty : 0
  const exact = due - cart.afterTaxDiscount
  cart.total = Math.round(exact / extra.step) * extra.step
  cart.rounding = cart.total - exact
  return cart
}
