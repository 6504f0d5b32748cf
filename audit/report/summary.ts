import { amountText, magnitude, sum } from '../../exports/books/amount.ts'
import type { Amount } from '../../exports/books/amount.ts'
import type { ReconcileSettings } from '../../reconcile/settings.ts'
import { amountCell } from './lines.ts'
import type { AuditLine } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

/** What a store sells in an average month, and what that is known from. */
export interface AverageSales {
  perMonth: Amount
  detail: string
}

export interface Significance {
  basis: 'cost' | 'retail'
  percent: string
  limit: string
  isSignificant: boolean
  source: string
}

/** The rule that holds on a day. */
export const ruleOf = <Rule extends { from: string }>(
  rules: readonly Rule[],
  day: string,
): Rule | undefined =>
  rules
    .filter(({ from }) => from <= day)
    .toSorted((one, other) => (one.from < other.from ? -1 : 1))
    .at(-1)

/**
 * Whether the shortage is significant, at cost and at retail: the rule does not say which. Nothing
 * where the sales are not known.
 */
export function judgeSignificance(
  lines: readonly AuditLine[],
  sales: AverageSales | undefined,
  { significantPercent }: ReconcileSettings,
  day: string,
): Significance[] {
  const rule = ruleOf(significantPercent, day)
  if (rule === undefined || sales === undefined || sales.perMonth <= 0n) return []
  return (['cost', 'retail'] as const).map((basis): Significance => {
    const values = lines.map(line => (basis === 'cost' ? line.varianceCost : line.varianceRetail))
    const total = magnitude(sum(values.map(value => value ?? 0n)))
    const thousandths = (total * 100_000n) / sales.perMonth
    const percent = Number(thousandths) / 1000
    const isSignificant = percent >= rule.percent
    const limit = String(rule.percent)
    return { basis, percent: percent.toFixed(3), limit, isSignificant, source: rule.source }
  })
}

/** By room and category: expected, counted, net and absolute differences, and how many agree. */
export function summaryTable(lines: readonly AuditLine[]): AuditTable {
  const groups = Map.groupBy(lines, ({ room, lot }) => JSON.stringify([room, lot.category]))
  return {
    dataset: 'summary',
    title: 'Summary',
    columns: [
      text('room'),
      text('category'),
      number('lots'),
      number('counted_lots'),
      number('expected_qty'),
      number('counted_qty'),
      number('net_variance_qty'),
      number('abs_variance_qty'),
      number('net_variance_cost'),
      number('abs_variance_cost'),
      number('net_variance_retail'),
      number('accuracy_pct'),
    ],
    rows: [...groups.values()].map(summaryRow),
  }
}

function summaryRow(lots: readonly AuditLine[]): string[] {
  const counted = lots.filter(({ count }) => count !== undefined)
  const exact = counted.filter(({ isInTolerance }) => isInTolerance === true).length
  const total = (pick: (line: AuditLine) => Amount | undefined): Amount =>
    sum(counted.map(line => pick(line) ?? 0n))
  const absolute = (pick: (line: AuditLine) => Amount | undefined): Amount =>
    sum(counted.map(line => magnitude(pick(line) ?? 0n)))
  return [
    lots[0]!.room,
    lots[0]!.lot.category,
    String(lots.length),
    String(counted.length),
    amountCell(sum(lots.map(({ expected }) => expected))),
    amountCell(total(line => line.adjusted! + line.variance!)),
    amountCell(total(({ variance }) => variance)),
    amountCell(absolute(({ variance }) => variance)),
    amountText(total(({ varianceCost }) => varianceCost)),
    amountText(absolute(({ varianceCost }) => varianceCost)),
    amountText(total(({ varianceRetail }) => varianceRetail)),
    counted.length === 0 ? '' : ((100 * exact) / counted.length).toFixed(1),
  ]
}
