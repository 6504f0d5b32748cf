import { addUp } from './entry.ts'
import type { JournalEntry, JournalLine, StoreTexts } from './entry.ts'
import { journalNumber } from './journal-number.ts'

/** What a day's journal should say, and when and under which number it would be said now. */
export interface WantedJournal {
  businessDate: string
  /** The store's short name in journal numbers, and what else importers call it. */
  store: StoreTexts
  lines: readonly JournalLine[]
  /** What a bookkeeper must know of what is posted. */
  note?: string | undefined
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
 * - The period is open: what was posted is reversed, letter for letter, and the day is posted again, both on the original date.
 * - The period is closed: one entry with the differences alone, dated on the day of the run.
 */
export function reviseJournal(
  wanted: WantedJournal,
  posted: readonly JournalEntry[] | undefined,
): JournalEntry[] {
  const { businessDate, revision, store, today, periodClosedThrough } = wanted
  const entry = (
    kind: JournalEntry['kind'],
    date: string,
    lines: readonly JournalLine[],
  ): JournalEntry => ({
    number: journalNumber(store.code, businessDate, kind, revision),
    revision,
    kind,
    date,
    businessDate,
    ...(wanted.note === undefined || kind === 'reversal' ? {} : { note: wanted.note }),
    store,
    lines,
  })
  if (posted === undefined) return [entry('posting', businessDate, wanted.lines)]
  const differences = differencesOf(wanted.lines, posted)
  if (differences.length === 0) return []
  if (periodClosedThrough !== undefined && businessDate <= periodClosedThrough)
    return [entry('change', today, differences)]
  const standing = standingEntries(posted)
  const mirrored = standing.flatMap(({ lines }) => lines.map(reversed))
  const undo: JournalEntry = {
    ...entry('reversal', businessDate, mirrored),
    store: standing.at(-1)?.store ?? store,
  }
  return [undo, entry('posting', businessDate, wanted.lines)].filter(
    ({ lines }) => lines.length > 0,
  )
}

/** What the wanted lines say beyond what was posted. */
export function differencesOf(
  wanted: readonly JournalLine[],
  posted: readonly JournalEntry[],
): JournalLine[] {
  return addUp([...wanted, ...posted.flatMap(({ lines }) => lines.map(reversed))])
}

/** The entries that no reversal has taken back. */
function standingEntries(posted: readonly JournalEntry[]): JournalEntry[] {
  const last = posted.findLastIndex(({ kind }) => kind === 'reversal')
  return posted.slice(last + 1)
}

/**
 * Takes its transactions back, too, so that counts of all entries of a day add up as amounts do.
 */
const reversed = (line: JournalLine): JournalLine => ({
  ...line,
  amount: -line.amount,
  transactions: -line.transactions,
})
