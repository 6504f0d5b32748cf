import { amountText } from '../../money/amount.ts'
import type { DayJournal } from './build-journal.ts'
import type { JournalException, TieOutRow } from './checks.ts'
import { listFigures } from './closing.ts'
import type { JournalEntry, JournalLine } from './entry.ts'
import { differencesOf } from './revise.ts'
import { totalsOf } from './write-formats.ts'

/** A sum on an account in whole cents; debits positive. */
export interface AccountAmount {
  account: string
  amount: string
}

/** How it went, for the person who asked. */
export interface JournalOutcome {
  /** Something does not tie out: no journal was written, the exceptions and the tie-out say why. */
  held: boolean
  /** The newest entry that was posted before, which stands where the day is held. */
  standing: string | undefined
  /** The entries of this revision; none if what was posted before still stands. */
  entries: {
    number: string
    kind: JournalEntry['kind']
    date: string
    debit: string
    credit: string
  }[]
  /** What today's settings would post otherwise, of a day whose data did not change. */
  chartDifferences: AccountAmount[]
  /** What the day says. */
  accounts: AccountAmount[]
  /** What it says beyond what was posted before: all of it, where nothing was. */
  differences: AccountAmount[]
  /** The day in the words of a closing report: `net_sales`, `tax`, `tender:cash`, ... */
  figures: { figure: string; amount: string }[]
  exceptions: JournalException[]
  tieOuts: TieOutRow[]
}

export const describeOutcome = (
  built: DayJournal,
  entries: readonly JournalEntry[],
  {
    posted,
    byChart,
  }: {
    /** What was posted before. */
    posted: readonly JournalEntry[]
    /** Those by which today's chart does. */
    byChart: () => readonly JournalLine[]
  },
): JournalOutcome => ({
  held: built.held,
  standing: posted.at(-1)?.number,
  entries: entries.map(entry => ({
    number: entry.number,
    kind: entry.kind,
    date: entry.date,
    ...totalsOf([entry]),
  })),
  chartDifferences: built.held ? [] : byAccount(byChart()),
  accounts: byAccount(built.lines),
  differences: byAccount(differencesOf(built.lines, posted)),
  figures: listFigures(built.figures),
  exceptions: built.exceptions,
  tieOuts: built.tieOuts,
})

/** What lines come to on each account, without those where it is nothing. */
export function byAccount(lines: readonly JournalLine[]): AccountAmount[] {
  const sums = new Map<string, bigint>()
  for (const { account, amount } of lines) {
    const name = account.code === account.name ? account.name : `${account.code} ${account.name}`
    sums.set(name, (sums.get(name) ?? 0n) + amount)
  }
  return [...sums]
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ account, amount: amountText(amount) }))
}
