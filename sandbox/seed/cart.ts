import type { PricedCart, PricedLine } from '../commerce/pricing.ts'
import { addTaxes, spreadCartDiscount, startLine, sumUp } from '../commerce/pricing.ts'
import type { Dice } from '../values/random.ts'
import type { Catalog, Product } from './catalog.ts'
import type { Batch, Stock } from './stock.ts'
import type { Shop } from './stores.ts'

/** One line of a sale. */
export interface Line extends PricedLine {
  product: Product
  batches: readonly Batch[]
}

export type Cart = PricedCart<Line>

export interface CartOptions {
  /** When it is bought: only what had been received by then is sold. */
  ms: number
  medical: boolean
  member: boolean
  delivery: boolean
  cardFee: number
  /** Round the total to this many cents, for cash. */
  step: number
}

const CART_SIZES = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4] as const

/** What somebody bought: products, the lots they came from, discounts and taxes. */
export function fillCart(
  shop: Shop,
  goods: { catalog: Catalog; stock: Stock },
  dice: Dice,
  options: CartOptions,
): Cart {
  const lines: Line[] = []
  const size = dice.pick(CART_SIZES)
  for (let at = 0; at < size; at++) lines.push(pickLine(goods, options.ms, dice))
  // Scanned twice instead of counted up: two lines that are the same in everything.
  if (dice.chance(0.01)) lines.push({ ...lines[0]! })
  const percentOff = dice.chance(0.09) ? dice.pick([5, 10, 15]) : 0
  spreadCartDiscount(lines, percentOff)
  for (const line of lines) addTaxes(shop, line, line.product.category.cannabis, options.medical)
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

function pickLine(
  { catalog, stock }: { catalog: Catalog; stock: Stock },
  ms: number,
  dice: Dice,
): Line {
  const product = catalog.products[dice.below(catalog.products.length)]!
  const received = stock.batchesOf[product.number]!
  let last = received.length - 1
  while (last > 0 && received[last]!.receivedMs > ms) last--
  const quantity = product.category.weighed ? dice.between(50, 1200) : pickPieces(dice)
  // The rest of one lot and the start of the next.
  const batches =
    quantity >= 200 && last > 0 && dice.chance(0.15)
      ? [received[last - 1]!, received[last]!]
      : [received[last]!]
  const percentOff = dice.chance(0.12) ? dice.pick([10, 20, 25, 100]) : 0
  return Object.assign(startLine(quantity, product.unitPrice, percentOff), { product, batches })
}

/** Mostly one, in hundredths. */
const pickPieces = (dice: Dice): number => (dice.chance(0.8) ? 100 : dice.between(2, 3) * 100)
