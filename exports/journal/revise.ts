import { amountText } from '../../money/amount.ts'
import { addUp, kindText, lineKey } from './entry.ts'
import type { JournalEntry, JournalLine, StoreTexts } from './entry.ts'
import { journalNumber, POSTED, reversalLetter } from './journal-number.ts'

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
 * The entries that bring the books from what was posted to what is
 * wanted (INV-9); none if they say it already.
 *
 * - No journal was given out yet (`posted` is undefined): one entry on the business day. A first
 *   posting is no change, so that it is not moved out of a closed period: whoever closed it wants
 *   to see it there. A journal that said "no sales" was one.
 * - The period is open: what was posted is reversed, letter for letter, each entry on its own date,
 *   and the day is posted again on the original one. What went to a later month while the period
 *   was closed comes back that way.
 * - The period is closed: one entry with the differences alone, dated on the day of the run.
 *
 * Other texts for the same accounts are no difference, nor is that a part stands in a later month,
 * unless the day is restated: then what was posted is reversed and posted again, all of it on the
 * day of the run where the period is closed.
 */
export function reviseJournal(
  wanted: WantedJournal,
  posted: readonly JournalEntry[] | undefined,
): JournalEntry[] {
  const { businessDate, today, lines } = wanted
  if (posted === undefined) return [newEntry(wanted, 'posting', businessDate, lines)]
  const differences = differencesOf(lines, posted)
  const standing = standingEntries(wanted, posted)
  if (wanted.isRestated === true && mustMove(wanted, standing)) return postAgain(wanted, standing)
  if (differences.length === 0) return []
  return isClosed(wanted)
    ? [newEntry(wanted, 'change', today, differences)]
    : postAgain(wanted, standing)
}

const isClosed = ({ businessDate, periodClosedThrough }: WantedJournal): boolean =>
  periodClosedThrough !== undefined && businessDate <= periodClosedThrough

function newEntry(
  { businessDate, revision, store, note }: WantedJournal,
  kind: 'posting' | 'change',
  date: string,
  lines: readonly JournalLine[],
): JournalEntry {
  return {
    number: journalNumber(store.code, businessDate, POSTED, revision),
    revision,
    kind,
    date,
    businessDate,
    ...(note === undefined ? {} : { note }),
    store,
    lines,
  }
}

/** What stands, taken back letter for letter, and the day once more. */
function postAgain(wanted: WantedJournal, standing: readonly JournalEntry[]): JournalEntry[] {
  const date = isClosed(wanted) ? wanted.today : wanted.businessDate
  const again = newEntry(wanted, 'posting', date, wanted.lines)
  return [
    ...standing.map((entry, place) => reversalOf(wanted, entry, place)),
    ...(again.lines.length > 0 ? [again] : []),
  ]
}

/** An entry the other way round, on its own date; on the day of the run where that is closed. */
function reversalOf(wanted: WantedJournal, entry: JournalEntry, place: number): JournalEntry {
  const { businessDate, revision, store, today } = wanted
  const letter = reversalLetter(businessDate, place)
  const reverses = kindText(entry)
  return {
    number: journalNumber(store.code, businessDate, letter, revision),
    revision,
    kind: 'reversal',
    date: isClosed(wanted) ? today : entry.date,
    businessDate,
    ...(reverses === '' ? {} : { reverses }),
    store: entry.store ?? store,
    lines: entry.lines.map(reversed),
  }
}

/**
 * Whether a restatement has anything to say: another text, or that all of the day is on its date.
 */
const mustMove = (wanted: WantedJournal, standing: readonly JournalEntry[]): boolean =>
  haveOtherTexts(standing, wanted) ||
  (!isClosed(wanted) && standing.some(({ date }) => date !== wanted.businessDate))

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
function isOther(known: object, now: object): boolean {
  const texts = new Map(Object.entries(now))
  return Object.entries(known).some(
    ([name, text]) => text !== undefined && text !== texts.get(name),
  )
}

/** What the wanted lines say beyond what was posted. */
export function differencesOf(
  wanted: readonly JournalLine[],
  posted: readonly JournalEntry[],
): JournalLine[] {
  return addUp([...wanted, ...posted.flatMap(({ lines }) => lines.map(reversed))])
}

/**
 * The entries that no later one has taken back, letter for letter. In an open period only what was
 * taken back on its own date is: each date is to be right by itself.
 */
function standingEntries(wanted: WantedJournal, posted: readonly JournalEntry[]): JournalEntry[] {
  const isAnyDate = isClosed(wanted)
  const standing: { entry: JournalEntry; mirror: string }[] = []
  for (const entry of posted) {
    if (entry.lines.length === 0) continue
    const text = textOf(entry, entry.lines)
    const mirrored = standing.findLastIndex(
      one => one.mirror === text && (isAnyDate || one.entry.date === entry.date),
    )
    if (mirrored >= 0) standing.splice(mirrored, 1)
    else standing.push({ entry, mirror: textOf(entry, entry.lines.map(reversed)) })
  }
  return standing.map(({ entry }) => entry)
}

/**
 * What an importer reads of an entry with these lines, besides its number, its date and its kind.
 */
const textOf = ({ store }: JournalEntry, lines: readonly JournalLine[]): string =>
  JSON.stringify([
    inOrder(store ?? {}),
    lines.map(line => [
      lineKey(line),
      inOrder(line.account),
      amountText(line.amount),
      line.transactions,
    ]),
  ])

const inOrder = (texts: object): [string, unknown][] =>
  Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1))

/**
 * Takes its transactions back, too, so that counts of all entries of a day add up as amounts do.
 */
const reversed = (line: JournalLine): JournalLine => ({
  ...line,
  amount: -line.amount,
  transactions: -line.transactions,
})
