import { CENT, magnitude, sum } from '../books/amount.ts'
import type { Amount } from '../books/amount.ts'
import type { Sale } from '../books/sale.ts'

/** Two figures of one transaction that must be the same. */
export interface SaleCheck {
  check: 'total' | 'lines' | 'taxes' | 'tenders'
  expected: Amount
  actual: Amount
  /** They are the same, but for fractions of a cent that the source itself rounds somewhere. */
  holds: boolean
}

/**
 * The tie-outs of one booked transaction: its total against the published identity, its lines against the header, its
 * taxes against their parts, what was paid against what was due.
 */
export function checkSale(sale: Sale): SaleCheck[] {
  const tolerance = (CENT / 2n) * BigInt(fractions(sale))
  const compare = (check: SaleCheck['check'], expected: Amount, actual: Amount): SaleCheck => ({ check, expected, actual, holds: magnitude(actual - expected) <= tolerance })
  const ofLines = sale.retail - sale.productDiscount
  return [
    compare('total', sale.totalDue - sale.identityDelta, sale.totalDue),
    compare('lines', ofLines, sale.items.length === 0 ? 0n : ofLines),
    compare('taxes', sale.preTax + sale.postTax, sum(sale.taxes.map(({ amount }) => amount))),
    compare('tenders', sale.totalDue, sum(sale.payments.map(({ applied }) => applied))),
  ]
}

/** How many of its amounts are finer than cents. Each may be off by half a cent from what was summed up to a total. */
function fractions(sale: Sale): number {
  const amounts = [
    sale.cartDiscount, sale.afterTaxDiscount, sale.deliveryFee, sale.paymentFee, sale.preTax, sale.postTax, sale.rounding, sale.totalDue,
    ...sale.items.flatMap(({ retail, lineDiscount, preTax, postTax }) => [retail, lineDiscount, preTax, postTax]),
    ...sale.taxes.map(({ amount }) => amount),
    ...sale.payments.map(({ applied }) => applied),
  ]
  return amounts.filter((amount) => amount % CENT !== 0n).length
}
