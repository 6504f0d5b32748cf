import { sum } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import type { Account } from './chart.ts'
import { roundTogether } from './round-together.ts'
import type { XeroDates } from './settings.ts'

/** What a line says about its sales, in the order of a journal. */
export const SOURCE_METRICS = [
  'tender',
  'revenue',
  'return',
  'discount',
  'discount_reversed',
  'after_tax_discount',
  'delivery_fee',
  'payment_fee',
  'tax',
  'tip',
  'gift_card_sold',
  'rounding',
  'adjustment',
  'suspense',
  'cogs',
  'inventory',
] as const
export type SourceMetric = (typeof SOURCE_METRICS)[number]

/** What tells lines apart; an empty text where a line is not split so. */
export interface LineFacts {
  account: Account
  metric: SourceMetric
  /** What it is of its account, in words, where the account alone does not say it: `refunds`. */
  part: string
  consumerType: string
  category: string
  tender: string
  authority: string
}

/** A part of one sale on one account, exact; debits are positive. */
export interface Posting extends LineFacts {
  amount: Amount
}

/** Many postings of one kind, in whole cents; debits are positive. */
export interface JournalLine extends Posting {
  /**
   * How many transactions are in it; of a reversal or a change, by how many more or less there are.
   */
  transactions: number
}

/** How importers call a store. */
export interface StoreTexts {
  /** The short name in journal numbers. */
  code: string
  location: string
  subsidiary: string
  xeroTaxRate: string
  /** Of its amounts; absent in what was posted before it was remembered. */
  currency?: string | undefined
  /** Absent: the day comes first. */
  xeroDates?: XeroDates | undefined
}

/** One balanced entry, as a bookkeeper imports it. */
export interface JournalEntry {
  /** `S1-20260308-R0`. */
  number: string
  revision: number
  kind: 'posting' | 'reversal' | 'change'
  /**
   * The day it is booked on: the business day, or the day of the run where the period is closed.
   */
  date: string
  /** The day whose sales it is about. */
  businessDate: string
  /** What a reversal takes back, where that is not a posting: `change of `. */
  reverses?: string | undefined
  /** What a bookkeeper must know of it: not all of its cost of goods is there. */
  note?: string | undefined
  /** As the entry was posted; absent where that is not known. */
  store?: StoreTexts | undefined
  lines: readonly JournalLine[]
}

/** The line in words: `Cash on hand - refunds`. */
export const memoOf = ({ account, part }: LineFacts): string =>
  part === '' ? account.name : `${account.name} - ${part}`

/** What an importer reads before the words of a line: `reversal of change of `. */
export const kindText = ({ kind, reverses = '' }: JournalEntry): string =>
  ({ posting: '', reversal: `reversal of ${reverses}`, change: 'change of ' })[kind]

/** What makes two lines one; an account is its code, so that a new name for it changes no books. */
export function lineKey(line: LineFacts): string {
  return JSON.stringify([
    line.metric,
    line.account.code,
    line.part,
    line.consumerType,
    line.category,
    line.tender,
    line.authority,
  ])
}

/**
 * One sale's postings to the cent. They are added up by line before they are rounded, so that a tax
 * of many items is rounded once; the two sides must then meet. The cost of goods balances by itself
 * and is never moved to help the rest.
 */
export function roundSale(postings: readonly Posting[]): {
  lines: JournalLine[]
  residual: Amount
} {
  const together = addUp(postings.map(posting => ({ ...posting, transactions: 0 }))).map(line => ({
    ...line,
    transactions: 1,
  }))
  const parts = [
    together.filter(({ metric }) => !isStock(metric)),
    together.filter(({ metric }) => isStock(metric)),
  ].map(lines => {
    const { rounded, residual } = roundTogether(lines.map(({ amount }) => amount))
    return { lines: lines.map((line, index) => ({ ...line, amount: rounded[index]! })), residual }
  })
  return {
    lines: parts.flatMap(({ lines }) => lines),
    residual: sum(parts.map(({ residual }) => residual)),
  }
}

const isStock = (metric: SourceMetric): boolean => metric === 'cogs' || metric === 'inventory'

/**
 * Lines of many sales, or of many stores, as the lines of one entry: the sum by key, in the
 * journal's order, without empty ones.
 */
export function addUp(lines: Iterable<JournalLine>): JournalLine[] {
  const sums: LineSums = new Map()
  for (const line of lines) addLine(sums, line)
  return linesOf(sums)
}

/** Lines by key. */
export type LineSums = Map<string, JournalLine>

export function addLine(sums: LineSums, line: JournalLine): void {
  const key = lineKey(line)
  const known = sums.get(key)
  sums.set(
    key,
    known === undefined
      ? line
      : {
          ...known,
          amount: known.amount + line.amount,
          transactions: known.transactions + line.transactions,
        },
  )
}

export function linesOf(sums: LineSums): JournalLine[] {
  return [...sums]
    .filter(([, line]) => line.amount !== 0n)
    .sort(byPlace)
    .map(([, line]) => line)
}

function byPlace(
  [keyA, a]: readonly [string, JournalLine],
  [keyB, b]: readonly [string, JournalLine],
): number {
  return (
    SOURCE_METRICS.indexOf(a.metric) - SOURCE_METRICS.indexOf(b.metric) ||
    compareTexts(a.account.code, b.account.code) ||
    // Money in before money out.
    Number(a.amount < 0n) - Number(b.amount < 0n) ||
    compareTexts(keyA, keyB)
  )
}

/** Both sides of an entry. */
export function sidesOf(lines: readonly JournalLine[]): { debit: Amount; credit: Amount } {
  return {
    debit: sum(lines.map(({ amount }) => (amount > 0n ? amount : 0n))),
    credit: sum(lines.map(({ amount }) => (amount < 0n ? -amount : 0n))),
  }
}
