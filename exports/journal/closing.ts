import { amountText, roundToCents } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import type { Sale } from '../sales/sale.ts'
import type { TieOutRow } from './checks.ts'
import type { JournalLine, SourceMetric } from './entry.ts'

/**
 * A store's closing report (the till's Z report) or our own figures for the same names:
 * `net_sales`, `tax`, `tips`, `total_due`, `tender:cash`, ...
 */
export type Figures = ReadonlyMap<string, Amount>

/** As somebody adds them up: the parts of the total, the total, and tips; tenders come after. */
export const FIGURE_NAMES = [
  'net_sales',
  'tax',
  'after_tax_discount',
  'rounding',
  'adjustment',
  'total_due',
  'tips',
] as const

/**
 * Which figure a line of the journal is a part of: net sales are the published ones, fees included
 * and taxes not. All of them but the tips add up to the total that was due.
 */
const FIGURES: Readonly<Partial<Record<SourceMetric, (typeof FIGURE_NAMES)[number]>>> = {
  revenue: 'net_sales',
  return: 'net_sales',
  gift_card_sold: 'net_sales',
  discount: 'net_sales',
  discount_reversed: 'net_sales',
  delivery_fee: 'net_sales',
  payment_fee: 'net_sales',
  tax: 'tax',
  after_tax_discount: 'after_tax_discount',
  rounding: 'rounding',
  adjustment: 'adjustment',
  tip: 'tips',
}

/** A day's figures from top to bottom, as texts; tenders last, by name. */
export function listFigures(figures: Figures): { figure: string; amount: string }[] {
  const tenders = [...figures.keys()].filter(name => name.startsWith('tender:')).sort(compareTexts)
  return [...FIGURE_NAMES, ...tenders].flatMap(figure => {
    const amount = figures.get(figure)
    return amount === undefined ? [] : [{ figure, amount: amountText(amount) }]
  })
}

/**
 * Adds one booked transaction to the day's own figures, as it is posted: a tax of 6.975 is 6.98 in
 * the journal and on the receipt. Tenders are without tips and cash back, which their lines hold
 * too.
 */
export function addFigures(
  figures: Map<string, Amount>,
  sale: Sale,
  lines: readonly JournalLine[],
): void {
  const add = (name: string, amount: Amount): void =>
    void figures.set(name, (figures.get(name) ?? 0n) + amount)
  for (const { metric, amount } of lines) {
    const figure = FIGURES[metric]
    if (figure !== undefined) add(figure, -amount)
  }
  add('total_due', roundToCents(sale.totalDue))
  for (const { tender, applied } of sale.payments) add(`tender:${tender}`, roundToCents(applied))
}

/** How the checks begin that compare a figure of the closing report. */
export const CLOSING = 'closing '

/** The closing report says what is expected, to the cent. */
export function compareClosing(closing: Figures, own: Figures): TieOutRow[] {
  return [...closing].map(([name, figure]) => {
    const expected = roundToCents(figure)
    const actual = own.get(name) ?? 0n
    return {
      check: `${CLOSING}${name}`,
      expected: amountText(expected),
      actual: amountText(actual),
      delta: amountText(actual - expected),
      status: actual === expected ? 'ok' : 'failed',
    }
  })
}
