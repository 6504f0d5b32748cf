import { magnitude, sum } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { finalCount } from '../counts.ts'
import type { PercentRule } from '../state-rules.ts'
import { amountCell, totalOf, worthOf } from './lines.ts'
import type { AuditLine, Basis } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

/** What a store sells in an average month, and what that is known from. */
export interface AverageSales {
  perMonth: Amount
  detail: string
}

export interface Significance {
  basis: Basis
  /** Of all differences, too few and too many alike. */
  percent: string
  /** Of what they come to together: too few is negative. */
  netPercent: string
  /** Lots that differ and have no price, so that they are not in it. */
  unpriced: number
  limit: string
  /** Undefined: below the limit as far as was counted, and lots were not counted. */
  isSignificant: boolean | undefined
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
 * Whether the differences are significant, at cost and at retail: the rule does not say which, nor
 * whether too many of one lot make up for too few of another. They do not here, since a theft could
 * hide behind a miscount. What is significant already stays so, whatever else is counted; that
 * nothing is, can be said of what was counted whole alone. Nothing where no rule is known, or the
 * sales, or what moved.
 */
export function judgeSignificance(
  lines: readonly AuditLine[],
  sales: AverageSales | undefined,
  rules: readonly PercentRule[],
  day: string,
): Significance[] {
  const rule = ruleOf(rules, day)
  if (rule === undefined || sales === undefined || sales.perMonth <= 0n) return []
  const counted = lines.filter(({ count }) => count !== undefined)
  if (counted.length === 0) return []
  if (counted.some(({ variance }) => variance === undefined)) return []
  return (['cost', 'retail'] as const).map((basis): Significance => {
    const known = counted.flatMap(line => worthOf(line, basis) ?? [])
    const percent = percentOf(sum(known.map(magnitude)), sales)
    const isBelow = counted.length === lines.length ? false : undefined
    return {
      basis,
      percent: percent.toFixed(3),
      netPercent: percentOf(sum(known), sales).toFixed(3),
      unpriced: counted.length - known.length,
      limit: String(rule.percent),
      isSignificant: percent >= rule.percent ? true : isBelow,
      source: rule.source,
    }
  })
}

/** To three places, and never more than it is. */
const percentOf = (amount: Amount, { perMonth }: AverageSales): number =>
  Number((amount * 100_000n) / perMonth) / 1000

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
      number('abs_variance_retail'),
      number('accuracy_pct'),
    ],
    rows: [...groups.values()].map(summaryRow),
  }
}

function summaryRow(lots: readonly AuditLine[]): string[] {
  const counted = lots.filter(({ count }) => count !== undefined)
  const exact = counted.filter(({ isInTolerance }) => isInTolerance === true).length
  const isKnown = counted.every(({ variance }) => variance !== undefined)
  const netAndAbsolute = (
    places: number,
    pick: (line: AuditLine) => Amount | undefined,
  ): string[] => {
    const picked = counted.map(pick)
    const absolute = picked.map(amount => amount && magnitude(amount))
    return [totalOf(picked), totalOf(absolute)].map(amount => amountCell(amount, places))
  }
  return [
    lots[0]!.room,
    lots[0]!.lot.category,
    String(lots.length),
    String(counted.length),
    amountCell(sum(lots.map(({ expected }) => expected))),
    amountCell(sum(counted.flatMap(({ count }) => (count ? [finalCount(count)] : [])))),
    ...netAndAbsolute(0, ({ variance }) => variance),
    ...netAndAbsolute(2, line => worthOf(line, 'cost')),
    ...netAndAbsolute(2, line => worthOf(line, 'retail')),
    counted.length > 0 && counted.length === lots.length && isKnown
      ? ((100 * exact) / counted.length).toFixed(1)
      : '',
  ]
}
