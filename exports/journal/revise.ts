import { addUp } from './entry.ts'
import type { JournalEntry, JournalLine } from './entry.ts'
import { journalNumber } from './journal-number.ts'

/** What a day's journal should say, and when and under which number it would be said now. */
export interface WantedJournal {
  /** The store's short name in journal numbers. */
  code: string
  businessDate: string
  lines: readonly JournalLine[]
  revision: number
  /** The business day on which this runs: the date of changes to closed periods. */
  today: string
  /** Days up to and with this one are closed. */
  periodClosedThrough: string | undefined
}

/**
 * The entries that bring the books from what was posted to what is wanted (INV-9); none if they say it already.
 *
 * - No journal was given out yet (`posted` is undefined): one entry on the business day. A first posting is no change, so that
 *   it is not moved out of a closed period: whoever closed it wants to see it there. A journal that said "no sales" was one.
 * - The period is open: what was posted is reversed and the day is posted again, both on the original date.
 * - The period is closed: one entry with the differences alone, dated on the day of the run.
 */
export function reviseJournal(
  wanted: WantedJournal,
  posted: readonly JournalEntry[] | undefined,
): JournalEntry[] {
  const { code, businessDate, revision, today, periodClosedThrough } = wanted
  const standing = addUp((posted ?? []).flatMap(({ lines }) => lines))
  const differences = addUp([...wanted.lines, ...standing.map(reversed)])
  const entry = (
    kind: JournalEntry['kind'],
    date: string,
    lines: readonly JournalLine[],
  ): JournalEntry => ({
    number: journalNumber(code, businessDate, kind, revision),
    revision,
    kind,
    date,
    businessDate,
    lines,
  })
  if (posted === undefined) return [entry('posting', businessDate, wanted.lines)]
  if (differences.length === 0) return []
  if (periodClosedThrough !== undefined && businessDate <= periodClosedThrough)
    return [entry('change', today, differences)]
  const again = entry('posting', businessDate, wanted.lines)
  const undo = entry('reversal', businessDate, standing.map(reversed))
  return [undo, again].filter(({ lines }) => lines.length > 0)
}

/**
 * Takes its transactions back, too, so that counts of all entries of a day add up as amounts do.
 */
const reversed = (line: JournalLine): JournalLine => ({
  ...line,
  amount: -line.amount,
  transactions: -line.transactions,
})
