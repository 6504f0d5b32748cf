import type { Amount } from '../../money/amount.ts'
import { causesOf } from './causes.ts'
import type { Cause, KnownSale } from './causes.ts'
import { CLOSING } from './closing.ts'
import type { Figures } from './closing.ts'
import type { AccountingSettings } from './settings.ts'

/** What a difference may come from. */
export interface Explanation {
  /**
   * Each of these makes all of it by itself: one cause, or two together. Fewer causes come first;
   * pairs are looked for only where no single one does.
   */
  whole: Cause[][]
  /** Where nothing makes all of it: causes that make some of the figures, and touch no other. */
  parts: { figures: string[]; causes: Cause[] }[]
  /** Figures that nothing of the day explains. */
  unexplained: string[]
}

/** What is searched: a day's transactions, and by how much the till's figures differ from ours. */
export interface ClosingQuestion {
  sales: readonly KnownSale[]
  settings: AccountingSettings
  /** The till's figure less ours, of every figure that the report has; 0 where they agree. */
  differences: Figures
}

/**
 * Searches what makes a closing report differ from the books: a transaction that only one of them
 * counts, an edit, cash back, a tip, a tender for another, and two of these together. Pure.
 */
export function explainClosing({ sales, settings, differences }: ClosingQuestion): Explanation {
  const wrong = [...differences].filter(([, amount]) => amount !== 0n).map(([name]) => name)
  if (wrong.length === 0) return { whole: [], parts: [], unexplained: [] }
  const tenders = [...differences.keys()].filter(name => name.startsWith('tender:'))
  const causes = sales
    .flatMap(sale => causesOf(sale, settings, tenders))
    .map(cause => ({ cause, effect: vectorOf(cause.effect, differences) }))
    .filter(({ effect }) => effect.some(amount => amount !== 0n))
  const wanted = vectorOf(differences, differences)
  const singles = causes.filter(({ effect }) => isSame(effect, wanted)).map(({ cause }) => [cause])
  const whole = singles.length > 0 ? singles : pairsOf(causes, wanted)
  if (whole.length > 0) return { whole, parts: [], unexplained: [] }
  const parts = partsOf(causes, differences)
  const explained = new Set(parts.flatMap(({ figures }) => figures))
  return { whole, parts, unexplained: wrong.filter(name => !explained.has(name)) }
}

interface Known {
  cause: Cause
  /** In the order of the report's figures. */
  effect: readonly Amount[]
}

/** Of the figures that the report has; another one is compared with nothing. */
const vectorOf = (figures: Figures, report: Figures): Amount[] =>
  [...report.keys()].map(name => figures.get(name) ?? 0n)

const isSame = (one: readonly Amount[], other: readonly Amount[]): boolean =>
  one.every((amount, at) => amount === other[at])

/** More than anybody looks at: chance makes many pairs of one difference. */
const MOST_PAIRS = 200

/** Two causes of two transactions that make it together. */
function pairsOf(causes: readonly Known[], wanted: readonly Amount[]): Cause[][] {
  const earlier = new Map<string, Cause[]>()
  const pairs: Cause[][] = []
  for (const { cause, effect } of causes) {
    const missing = wanted.map((amount, at) => amount - effect[at]!).join(' ')
    for (const other of earlier.get(missing) ?? [])
      if (other.transactionId !== cause.transactionId) pairs.push([other, cause])
    if (pairs.length >= MOST_PAIRS) break
    const alike = earlier.get(effect.join(' ')) ?? []
    earlier.set(effect.join(' '), [...alike.slice(-MOST_PAIRS), cause])
  }
  return pairs.slice(0, MOST_PAIRS)
}

/** Causes that make what they touch, and leave the rest as it is: the most figures first. */
function partsOf(causes: readonly Known[], differences: Figures): Explanation['parts'] {
  const names = [...differences.keys()]
  const wanted = [...differences.values()]
  const fitting = causes.filter(({ effect }) =>
    effect.every((amount, at) => amount === 0n || amount === wanted[at]),
  )
  const groups = Map.groupBy(fitting, ({ effect }) =>
    names.filter((_, at) => effect[at] !== 0n).join(' '),
  )
  return [...groups]
    .map(([figures, known]) => ({
      figures: figures.split(' '),
      causes: known.map(({ cause }) => cause),
    }))
    .toSorted((a, b) => b.figures.length - a.figures.length)
}

/** The differences of a day's checks, as the till's figure less ours. */
export const differencesIn = (
  rows: readonly { check: string; delta: string }[],
  amountOf: (text: string) => Amount,
): Figures =>
  new Map(
    rows
      .filter(({ check }) => check.startsWith(CLOSING))
      .map(({ check, delta }) => [check.slice(CLOSING.length), -amountOf(delta)]),
  )
