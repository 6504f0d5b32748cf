import type { Amount } from './amount.ts'
import {
  CENT,
  magnitude,
  multiply,
  negate,
  ONE,
  roundToCents,
  roundToMicros,
  sum,
  toAmount,
} from './amount.ts'
import type { CatalogFacts, ProductFacts } from './catalog-facts.ts'
import { fillIn, readProduct } from './catalog-facts.ts'
import type { Fields } from './record.ts'
import { amountOf, commonSign, fieldsOf, listOf, textOf } from './record.ts'
import type { SaleItem, SaleLot } from './sale.ts'

/** The lines of a cart. `cartDiscount` is the header's, in the sign of the books. */
export function readItems(
  cart: Fields,
  facts: CatalogFacts,
  refund: boolean,
  cartDiscount: Amount,
): SaleItem[] {
  const wires = listOf(cart['items']).map(fieldsOf)
  const retails = signed(refund, wires.map(retailOf))
  const quantities = signedQuantities(
    refund,
    wires.map(wire => amountOf(wire['quantity'])),
    retails,
  )
  const discounts = signed(refund, wires.map(discountOf))
  const preTaxes = signed(
    refund,
    wires.map(wire => amountOf(wire['calcPreTax'])),
  )
  const postTaxes = signed(
    refund,
    wires.map(wire => amountOf(wire['calcTax'])),
  )
  const nets = retails.map((retail, index) => retail - discounts[index]!)
  const shares = allocate(cartDiscount, nets)
  return wires.map((wire, index): SaleItem => {
    const product = productOf(wire, facts)
    const quantity = quantities[index]!
    const batchId = textOf(wire['batchId'])
    const lots = readLots(wire, quantity === 0n && refund ? -1n : quantity)
    const restocked = refund ? wasRestocked(wire, cart) : undefined
    const cost = costOf(wire, facts, { quantity, batchId, lots, restocked })
    const unit = product.byGram === undefined ? undefined : product.byGram ? 'GRAM' : 'EACH'
    return {
      lineNo: index + 1,
      orderItemId: textOf(wire['orderItemId']),
      productId: textOf(wire['productId']),
      sku: product.sku,
      productName: product.name,
      categoryId: product.categoryId,
      categoryName: product.categoryName,
      brandId: product.brandId,
      vendorId: product.vendorId,
      cannabis: product.cannabis,
      batchId: batchId ?? lots[0]?.batchId,
      inventoryId: textOf(wire['inventoryId']) ?? lots[0]?.inventoryId,
      prepackageItemId: textOf(wire['prepackageItemId']),
      quantity,
      unit,
      gramsEquivalent:
        unit === 'GRAM'
          ? quantity
          : product.gramsEach === undefined
            ? undefined
            : multiply(quantity, product.gramsEach),
      unitPrice: toAmount(wire['unitPrice']),
      retail: retails[index]!,
      lineDiscount: discounts[index]!,
      cartDiscount: shares[index]!,
      net: nets[index]! - shares[index]!,
      preTax: preTaxes[index]!,
      postTax: postTaxes[index]!,
      ...cost,
      restocked,
      isGiftCard: product.isGiftCard ?? false,
      lots,
    }
  })
}

function signed(refund: boolean, amounts: readonly Amount[]): Amount[] {
  return amounts.map(commonSign(refund, amounts))
}

/**
 * A refund's quantities have the sign of their cost: one expensive piece may be exchanged for two
 * cheap ones.
 */
function signedQuantities(
  refund: boolean,
  quantities: readonly Amount[],
  retails: readonly Amount[],
): Amount[] {
  const together = refund
    ? sum(quantities.map((quantity, index) => multiply(quantity, retails[index]!)))
    : 0n
  return together === 0n
    ? signed(refund, quantities)
    : together < 0n
      ? quantities.map(negate)
      : [...quantities]
}

const retailOf = (wire: Fields): Amount =>
  toAmount(wire['cost']) ??
  roundToCents(multiply(amountOf(wire['quantity']), amountOf(wire['unitPrice'])))

function discountOf(wire: Fields): Amount {
  const stated = toAmount(wire['calcDiscount'])
  if (stated !== undefined) return stated
  const final = toAmount(wire['finalPrice'])
  return final === undefined ? 0n : retailOf(wire) - final
}

function productOf(wire: Fields, facts: CatalogFacts): ProductFacts {
  const id = textOf(wire['productId'])
  return fillIn(
    readProduct(fieldsOf(wire['product'])),
    id === undefined ? undefined : facts.product(id),
  )
}

/**
 * Lots have the sign of their line, which on a refund may differ from the refund's; lots that
 * cancel each other stay as they are.
 */
function readLots(wire: Fields, direction: Amount): SaleLot[] {
  const logs = listOf(wire['quantityLogs']).map(fieldsOf)
  const quantities = logs.map(log => amountOf(log['quantity']))
  const turned = sum(quantities) * direction < 0n ? quantities.map(negate) : quantities
  return logs.map((log, index) => ({
    lotNo: index + 1,
    batchId: textOf(log['batchId']),
    inventoryId: textOf(log['inventoryId']),
    quantity: turned[index]!,
  }))
}

/**
 * No lots mean that nothing came back. Where the record has none at all, the cart's field decides.
 */
function wasRestocked(wire: Fields, cart: Fields): boolean | undefined {
  if (Array.isArray(wire['quantityLogs'])) return wire['quantityLogs'].length > 0
  const option = textOf(cart['refundOption'])?.toLowerCase()
  return option === 'withinventory' ? true : option === 'withoutinventory' ? false : undefined
}

type Cost = Pick<SaleItem, 'unitCost' | 'cogs' | 'costSource'>

/** What the goods had cost: of the line itself, else of the lots that it was drawn from. */
function costOf(
  wire: Fields,
  facts: CatalogFacts,
  line: {
    quantity: Amount
    batchId: string | undefined
    lots: readonly SaleLot[]
    restocked: boolean | undefined
  },
): Cost {
  const stated = toAmount(wire['unitCost']) ?? toAmount(wire['costPerUnit'])
  const drawn =
    line.lots.length > 0 ? line.lots : [{ batchId: line.batchId, quantity: line.quantity }]
  const costs = drawn.map(({ batchId, quantity }) => {
    const cost = stated ?? (batchId === undefined ? undefined : facts.batchCost(batchId))
    return cost === undefined ? undefined : { cost, of: multiply(quantity, cost) }
  })
  const costSource = costs.includes(undefined) ? 'missing' : stated === undefined ? 'batch' : 'line'
  const unitCost =
    costs.length === 1
      ? costs[0]?.cost
      : averageOf(costs, sum(drawn.map(({ quantity }) => quantity)))
  // The goods are not back in stock, so their cost is not reversed either.
  if (line.restocked === false) return { unitCost, cogs: 0n, costSource }
  return {
    unitCost,
    cogs: costSource === 'missing' ? undefined : sum(costs.map(one => one?.of ?? 0n)),
    costSource,
  }
}

/** To six places, as prices of units have them: an average need not end anywhere. */
function averageOf(
  costs: ReadonlyArray<{ cost: Amount; of: Amount } | undefined>,
  quantity: Amount,
): Amount | undefined {
  if (quantity === 0n || costs.includes(undefined)) return undefined
  return roundToMicros((sum(costs.map(one => one?.of ?? 0n)) * ONE) / quantity)
}

/**
 * Splits a discount over lines by their net, by largest remainder, so that the parts add up to the
 * whole to the last digit; in cents wherever the whole is in cents. The first of two equal
 * remainders gets the cent.
 */
export function allocate(whole: Amount, nets: readonly Amount[]): Amount[] {
  const weights = nets.map(magnitude)
  const total = sum(weights)
  if (whole === 0n || nets.length === 0) return nets.map(() => 0n)
  if (total === 0n) return nets.map((_, index) => (index === 0 ? whole : 0n))
  const step = whole % CENT === 0n ? CENT : 1n
  const steps = magnitude(whole) / step
  const parts = weights.map(weight => ({
    floor: (steps * weight) / total,
    rest: (steps * weight) % total,
  }))
  const left = Number(steps - sum(parts.map(({ floor }) => floor)))
  const order = parts
    .map((_, index) => index)
    .sort((a, b) =>
      parts[a]!.rest === parts[b]!.rest ? a - b : parts[a]!.rest > parts[b]!.rest ? -1 : 1,
    )
  const extra = new Set(order.slice(0, left))
  return parts.map(
    ({ floor }, index) => (whole < 0n ? -1n : 1n) * (floor + (extra.has(index) ? 1n : 0n)) * step,
  )
}
