import { amountText } from '../../../money/amount.ts'
import type { PublishedFormat } from '../../revisions/manifest.ts'
import { kindText, memoOf } from '../entry.ts'
import type { JournalEntry, JournalLine, StoreTexts } from '../entry.ts'

/** What every format writes, and how importers call the store. */
export interface Journal {
  /** `companyId:shopId`. */
  storeKey: string
  /** Where an entry does not say itself how importers call the store. */
  store: StoreTexts
  entries: readonly JournalEntry[]
}

/** How entries are written for one importer, or for people. */
export interface WrittenFormat {
  extension: PublishedFormat
  write(journal: Journal): string | Uint8Array
  /** Of its columns of amounts, by the file's own names for them. */
  sums(totals: { debit: string; credit: string }): Record<string, string>
  /** How many lines its importer takes from one file; docs/importers.md names who says so. */
  mostLines?: number
}

export const debitOf = ({ amount }: JournalLine): string => (amount > 0n ? amountText(amount) : '')
export const creditOf = ({ amount }: JournalLine): string =>
  amount < 0n ? amountText(-amount) : ''

/**
 * How many transactions are in a line. A change tells no count, nor does what takes it back: what
 * was edited is counted nowhere.
 */
export const countedIn = (entry: JournalEntry, line: JournalLine): number | undefined =>
  kindText(entry).endsWith('change of ') ? undefined : Math.abs(line.transactions)

/** `2026-03-08 Excise tax payable, 3 txns`: what a bookkeeper reads beside the amount. */
export function describeLine(entry: JournalEntry, line: JournalLine): string {
  const kind = kindText(entry)
  const count = countedIn(entry, line)
  const counted = count === undefined ? '' : `, ${count} ${count === 1 ? 'txn' : 'txns'}`
  const note = entry.note === undefined ? '' : `; ${entry.note}`
  return `${entry.businessDate} ${kind}${memoOf(line)}${counted}${note}`
}

/** The class that keeps medical and adult-use apart, where a line does. */
export function classOf({ consumerType }: JournalLine): string {
  if (consumerType === '') return ''
  return consumerType.startsWith('medicinal') ? 'Medical' : 'Adult'
}
