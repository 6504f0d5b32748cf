import type { Account } from './chart.ts'
import { roundTogether } from './cents.ts'
import type { Cents, Exact } from './cents.ts'

/** What a line says about its sales, in the order of a journal. */
export const SOURCE_METRICS = [
  'tender', 'revenue', 'return', 'discount', 'discount_reversed', 'after_tax_discount', 'delivery_fee', 'payment_fee', 'tax', 'tip',
  'gift_card_sold', 'rounding', 'adjustment', 'suspense', 'cogs', 'inventory',
] as const
export type SourceMetric = (typeof SOURCE_METRICS)[number]

/** What tells lines apart; an empty text where a line is not split so. */
export interface LineFacts {
  account: Account
  metric: SourceMetric
  /** What the line is, in words: `Cash on hand – refunds`. */
  memo: string
  consumerType: string
  category: string
  tender: string
  authority: string
}

/** A part of one sale on one account, exact; debits are positive. */
export interface Posting extends LineFacts {
  amount: Exact
}

/** Many postings of one kind, to the cent; debits are positive. */
export interface JournalLine extends LineFacts {
  cents: Cents
  /** How many transactions are in it. */
  transactions: number
}

/** One balanced entry, as a bookkeeper imports it. */
export interface JournalEntry {
  /** `S1-20260308-R0`. */
  number: string
  revision: number
  kind: 'posting' | 'reversal' | 'change'
  /** The day it is booked on: the business day, or the day of the run where the period is closed. */
  date: string
  /** The day whose sales it is about. */
  businessDate: string
  lines: readonly JournalLine[]
}

/** What makes two lines one. */
export function lineKey(line: LineFacts): string {
  return JSON.stringify([line.metric, line.account.code, line.memo, line.consumerType, line.category, line.tender, line.authority])
}

/**
 * One sale's postings to the cent. They are added up by line before they are rounded, so that a tax of many items is
 * rounded once; the two sides must then meet. The cost of goods balances by itself and is never moved to help the rest.
 */
export function roundSale(postings: readonly Posting[]): { lines: JournalLine[]; residual: Cents } {
  const byKey = new Map<string, Posting>()
  for (const posting of postings) {
    const key = lineKey(posting)
    const known = byKey.get(key)
    byKey.set(key, known === undefined ? posting : { ...known, amount: known.amount + posting.amount })
  }
  const together = [...byKey.values()]
  const money = together.filter(({ metric }) => !isStock(metric))
  const stock = together.filter(({ metric }) => isStock(metric))
  const sides = [roundTogether(money.map(({ amount }) => amount)), roundTogether(stock.map(({ amount }) => amount))] as const
  const toLines = (part: readonly Posting[], cents: readonly Cents[]): JournalLine[] => part.map(({ amount: _, ...facts }, index) => ({ ...facts, cents: cents[index]!, transactions: 1 }))
  return { lines: [...toLines(money, sides[0].cents), ...toLines(stock, sides[1].cents)].filter(({ cents }) => cents !== 0n), residual: sides[0].residual + sides[1].residual }
}

const isStock = (metric: SourceMetric): boolean => metric === 'cogs' || metric === 'inventory'

/** Lines of many sales, or of many stores, as the lines of one entry: the sum by key, in the journal's order, without empty ones. */
export function addUp(lines: Iterable<JournalLine>): JournalLine[] {
  const sums = new Map<string, JournalLine>()
  for (const line of lines) {
    const key = lineKey(line)
    const known = sums.get(key)
    sums.set(key, known === undefined ? { ...line } : { ...known, cents: known.cents + line.cents, transactions: known.transactions + line.transactions })
  }
  return [...sums].filter(([, line]) => line.cents !== 0n).sort(byPlace).map(([, line]) => line)
}

function byPlace([keyA, a]: readonly [string, JournalLine], [keyB, b]: readonly [string, JournalLine]): number {
  return (
    SOURCE_METRICS.indexOf(a.metric) - SOURCE_METRICS.indexOf(b.metric) ||
    compare(a.account.code, b.account.code) ||
    // Money in before money out.
    Number(a.cents < 0n) - Number(b.cents < 0n) ||
    compare(keyA, keyB)
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Both sides of an entry, in cents. */
export function sidesOf(lines: readonly JournalLine[]): { debit: Cents; credit: Cents } {
  let [debit, credit] = [0n, 0n]
  for (const { cents } of lines) {
    if (cents > 0n) debit += cents
    else credit -= cents
  }
  return { debit, credit }
}
