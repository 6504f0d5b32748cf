import type { Amount } from '../../money/amount.ts'
import { amountText, isClose, magnitude, sum } from '../../money/amount.ts'
import type { Sale, TaxStage } from './sale.ts'

/** One check of a transaction against itself: what should be, what the record says. */
export interface TieOut {
  check: 'total' | 'lines' | 'has_lines' | 'pre_taxes' | 'post_taxes' | 'tenders'
  expected: Amount
  actual: Amount
  /** `actual - expected`. */
  delta: Amount
  passed: boolean
}

/**
 * The tie-outs of one booked transaction, in fixed order. They compare figures that the API states
 * with each other; nothing is recomputed from rates. Half a cent is the most that sums of rounded
 * figures may differ by.
 *
 * - `total`: the header's total = the published identity over its lines, discounts, fees, taxes and
 *   rounding
 * - `lines`: the cart's own sum of its lines = the lines, before or after their discounts (nobody
 *   says which)
 * - `has_lines`: a total that is not zero has lines; otherwise costs would be 0 without a word
 * - `pre_taxes`, `post_taxes`: the parts by authority = the header's tax
 * - `tenders`: what the payments settle = the total
 */
export function tieOut(sale: Sale): TieOut[] {
  if (sale.excluded !== undefined) return []
  const gross = sum(sale.items.map(item => item.retail))
  const net = gross - sale.productDiscount
  const lines = sale.statedSubTotal ?? net
  const taxes = (stage: TaxStage): Amount =>
    sum(sale.taxes.filter(tax => tax.stage === stage).map(tax => tax.amount))
  const tendered = sum(sale.payments.map(payment => payment.applied))
  return [
    compare('total', sale.totalDue - sale.identityDelta, sale.totalDue),
    ...(sale.items.length === 0
      ? []
      : [compare('lines', lines, isClose(lines, gross) ? gross : net)]),
    ...(sale.items.length === 0 && sale.totalDue !== 0n
      ? [compare('has_lines', sale.totalDue, 0n)]
      : []),
    compare('pre_taxes', sale.preTax, taxes('pre')),
    compare('post_taxes', sale.postTax, taxes('post')),
    compare('tenders', sale.totalDue, tendered),
  ]
}

function compare(check: TieOut['check'], expected: Amount, actual: Amount): TieOut {
  return { check, expected, actual, delta: actual - expected, passed: isClose(expected, actual) }
}

/**
 * A failed check in words for people who keep books; amounts, and no other values of the record.
 */
export const describeFailure = ({ check, expected, actual, delta }: TieOut): string =>
  `${MEANS[check]}: ${amountText(expected)} expected, ${amountText(actual)} found, ` +
  `${amountText(magnitude(delta))} too ${delta < 0n ? 'little' : 'much'}`

const MEANS: Readonly<Record<TieOut['check'], string>> = {
  total: 'the total is not what its lines, discounts, fees and taxes add up to',
  lines: 'the lines do not add up to the subtotal of the cart',
  has_lines: 'there is a total and no line',
  pre_taxes: 'the parts of the taxes in the price do not add up to them',
  post_taxes: 'the parts of the taxes do not add up to them',
  tenders: 'the payments do not settle the total',
}
