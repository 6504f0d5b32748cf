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
  /** Somebody has the day posted again: another text of an account or a store is a change then. */
  isRestated?: boolean
}

/**
 * The entries that bring the books from what was posted to what is wanted (INV-9); none if they say it already.
 *
 * - No journal was given out yet (`posted` is undefined): one entry on the business day. A first posting is no change, so that
 *   it is not moved out of a closed period: whoever closed it wants to see it there. A journal that said "no sales" was one.
 * - The period is open: what was posted is reversed, letter for letter, and the day is posted again, both on the original date.
 * - The period is closed: one entry with the differences alone, dated on the day of the run.
 *
 * Other texts for the same accounts are no difference, unless the day is restated: then what was posted is reversed and posted
 * again, on the day of the run where the period is closed.
 */
export function reviseJournal(
  wanted: WantedJournal,
  posted: readonly JournalEntry[] | undefined,
): JournalEntry[] {
  const { businessDate, today } = wanted
  if (posted === undefined) return [newEntry(wanted, 'posting', businessDate, wanted.lines)]
  const differences = differencesOf(wanted.lines, posted)
  const standing = standingEntries(posted)
  const isRenamed = wanted.isRestated === true && haveOtherTexts(standing, wanted)
  if (isRenamed) return postAgain(wanted, standing)
  if (differences.length === 0) return []
  return isClosed(wanted)
    ? [newEntry(wanted, 'change', today, differences)]
    : postAgain(wanted, standing)
}

const isClosed = ({ businessDate, periodClosedThrough }: WantedJournal): boolean =>
  periodClosedThrough !== undefined && businessDate <= periodClosedThrough

function newEntry(
  { businessDate, revision, store, note }: WantedJournal,
  kind: JournalEntry['kind'],
  date: string,
  lines: readonly JournalLine[],
): JournalEntry {
  return {
    number: journalNumber(store.code, businessDate, kind, revision),
    revision,
    kind,
    date,
    businessDate,
    ...(note === undefined || kind === 'reversal' ? {} : { note }),
    store,
    lines,
  }
}

/** What stands, taken back letter for letter, and the day once more. */
function postAgain(wanted: WantedJournal, standing: readonly JournalEntry[]): JournalEntry[] {
  const date = isClosed(wanted) ? wanted.today : wanted.businessDate
  const mirrored = standing.flatMap(({ lines }) => lines.map(reversed))
  const undo = {
    ...newEntry(wanted, 'reversal', date, mirrored),
    store: standing.at(-1)?.store ?? wanted.store,
  }
  return [undo, newEntry(wanted, 'posting', date, wanted.lines)].filter(
    ({ lines }) => lines.length > 0,
  )
}

/** Whether importers would read another text of an account or of the store than was posted. */
function haveOtherTexts(
  standing: readonly JournalEntry[],
  { lines, store }: Pick<WantedJournal, 'lines' | 'store'>,
): boolean {
  const accounts = new Map(lines.map(({ account }) => [account.code, account]))
  return standing.some(
    entry =>
      (entry.store !== undefined && isOther(entry.store, store)) ||
      entry.lines.some(({ account }) => {
        const now = accounts.get(account.code)
        return now !== undefined && (isOther(account, now) || isOther(now, account))
      }),
  )
}

/** Whether a text that is known is another in the second. */
const isOther = (known: object, now: object): boolean =>
  Object.entries(known).some(
    ([name, text]) => text !== undefined && text !== new Map(Object.entries(now)).get(name),
  )

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
