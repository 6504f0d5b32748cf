import type { Amount } from '../../money/amount.ts'
import { magnitude, multiply, negate, roundToCents, sum, toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import {
  amountOf,
  commonSign,
  fieldsOf,
  listOf,
  oneSign,
  textOf,
} from '../../text/record-fields.ts'
import { allocate } from './allocate.ts'
import type { CatalogFacts, ProductFacts } from './catalog-facts.ts'
import { fillIn, readProduct } from './catalog-facts.ts'
import { costOf } from './cost.ts'
import type { SaleItem, SaleLot } from './sale.ts'
import { wordTable } from './word-table.ts'

/** The lines of a cart. `cartDiscount` is the header's, in the sign of the books. */
export function readItems(
  cart: Fields,
  facts: CatalogFacts,
  refund: boolean,
  cartDiscount: Amount,
): SaleItem[] {
  const wires = listOf(cart['items']).map(fieldsOf)
  const figures = readFigures(wires, refund, cartDiscount)
  return wires.map((wire, index): SaleItem => {
    const own = figures[index]!
    const product = productOf(wire, facts)
    const batchId = textOf(wire['batchId'])
    const lots = readLots(wire, own.quantity === 0n && refund ? -1n : own.quantity)
    const restocked = refund ? wasRestocked(wire, cart) : undefined
    return {
      lineNo: index + 1,
      orderItemId: textOf(wire['orderItemId']),
      productId: textOf(wire['productId']),
      ...describeProduct(product),
      batchId: batchId ?? lots[0]?.batchId,
      inventoryId: textOf(wire['inventoryId']) ?? lots[0]?.inventoryId,
      prepackageItemId: textOf(wire['prepackageItemId']),
      ...own,
      ...measure(product, own.quantity),
      unitPrice: toAmount(wire['unitPrice']),
      ...costOf(wire, facts, { quantity: own.quantity, batchId, lots, restocked }),
      restocked,
      lots,
    }
  })
}

type Figures = Pick<
  SaleItem,
  'quantity' | 'retail' | 'lineDiscount' | 'cartDiscount' | 'net' | 'preTax' | 'postTax'
>

/** Signs and shares depend on all lines together. */
function readFigures(wires: readonly Fields[], refund: boolean, cartDiscount: Amount): Figures[] {
  const retails = signed(refund, wires.map(retailOf))
  const isExchange = refund && retails.some(amount => amount > 0n)
  // In an exchange lines go both ways, and each line's figures with it, with signs or without.
  const of = (read: (wire: Fields) => Amount): Amount[] =>
    isExchange
      ? wires.map((wire, index) => oneSign(retails[index]! < 0n)(magnitude(read(wire))))
      : signed(refund, wires.map(read))
  const stated = wires.map(wire => amountOf(wire['quantity']))
  const quantities = signedQuantities(refund, stated, retails)
  const discounts = of(discountOf)
  const preTaxes = of(wire => amountOf(wire['calcPreTax']))
  const postTaxes = of(wire => amountOf(wire['calcTax']))
  const nets = retails.map((retail, index) => retail - discounts[index]!)
  const shares = allocate(cartDiscount, nets)
  return wires.map((_, index) => ({
    quantity: quantities[index]!,
    retail: retails[index]!,
    lineDiscount: discounts[index]!,
    cartDiscount: shares[index]!,
    net: nets[index]! - shares[index]!,
    preTax: preTaxes[index]!,
    postTax: postTaxes[index]!,
  }))
}

const describeProduct = (product: ProductFacts) => ({
  sku: product.sku,
  productName: product.name,
  categoryId: product.categoryId,
  categoryName: product.categoryName,
  brandId: product.brandId,
  vendorId: product.vendorId,
  cannabis: product.cannabis,
  isGiftCard: product.isGiftCard ?? false,
})

function measure(
  { byGram, gramsEach }: ProductFacts,
  quantity: Amount,
): Pick<SaleItem, 'unit' | 'gramsEquivalent'> {
  if (byGram === true) return { unit: 'GRAM', gramsEquivalent: quantity }
  return {
    unit: byGram === undefined ? undefined : 'EACH',
    gramsEquivalent: gramsEach === undefined ? undefined : multiply(quantity, gramsEach),
  }
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
  if (together === 0n) return signed(refund, quantities)
  return together < 0n ? quantities.map(negate) : [...quantities]
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

const RESTOCKS = wordTable({ withinventory: true, withoutinventory: false })

/**
 * No lots mean that nothing came back. Where the record has none at all, the cart's field decides.
 */
function wasRestocked(wire: Fields, cart: Fields): boolean | undefined {
  if (Array.isArray(wire['quantityLogs'])) return wire['quantityLogs'].length > 0
  const option = textOf(cart['refundOption'])?.toLowerCase()
  return option === undefined ? undefined : RESTOCKS.get(option)
}
