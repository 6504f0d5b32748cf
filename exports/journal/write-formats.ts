import { amountText } from '../books/amount.ts'
import { sidesOf } from './entry.ts'
import type { JournalEntry } from './entry.ts'
import { EXCEPTIONS, TIE_OUT } from './formats/exceptions.ts'
import { writeGeneric } from './formats/generic.ts'
import { writeIif } from './formats/iif.ts'
import type { Journal } from './formats/journal.ts'
import { writeNetsuite } from './formats/netsuite.ts'
import { writeQbo } from './formats/qbo.ts'
import { writeXero } from './formats/xero.ts'
import { BOOKS_OF_RECORD } from './posted.ts'
import { JOURNAL_FORMATS } from './settings.ts'
import type { JournalFormat } from './settings.ts'

/** A file to be: the dataset that its name begins with, its ending, its text. */
export interface JournalText {
  dataset: string
  extension: 'csv' | 'iif'
  text: string | Uint8Array
  rows: number
  /**
   * Sums of its columns of amounts, by the file's own names for them: the manifest's control
   * totals.
   */
  sums: Record<string, string>
}

/** Which dataset a format writes; Xero's may be several files. */
export const datasetOf = (format: JournalFormat): string =>
  format === 'generic' ? BOOKS_OF_RECORD : `journal_${format}`

/** What is checked and found is written with every journal, and where there is none. */
const CHECKS: readonly string[] = [EXCEPTIONS, TIE_OUT]
/** More files for Xero than any day has needed so far. */
const XERO_FILES = Array.from({ length: 8 }, (_, index) => `journal_xero_${index + 2}`)
/** Every dataset that a journal may write. */
export const JOURNAL_DATASETS: readonly string[] = [
  ...JOURNAL_FORMATS.map(datasetOf),
  ...XERO_FILES,
  ...CHECKS,
]

/** Whether this dataset is reported to somebody who asked for these formats. */
export function isOfJournal(dataset: string, formats: readonly JournalFormat[]): boolean {
  return (
    CHECKS.includes(dataset) ||
    dataset === BOOKS_OF_RECORD ||
    formats.some(
      format =>
        dataset === datasetOf(format) || (format === 'xero' && XERO_FILES.includes(dataset)),
    )
  )
}

/** The same entries in one format. */
export function writeFormat(format: JournalFormat, journal: Journal): JournalText[] {
  const dataset = datasetOf(format)
  const rows = journal.entries.reduce((count, { lines }) => count + lines.length, 0)
  const { debit, credit } = totalsOf(journal.entries)
  switch (format) {
    case 'generic':
      return [
        { dataset, extension: 'csv', text: writeGeneric(journal), rows, sums: { debit, credit } },
      ]
    case 'qbo':
      return [
        {
          dataset,
          extension: 'csv',
          text: writeQbo(journal),
          rows,
          sums: { Debits: debit, Credits: credit },
        },
      ]
    case 'netsuite':
      return [
        {
          dataset,
          extension: 'csv',
          text: writeNetsuite(journal),
          rows,
          sums: { Debit: debit, Credit: credit },
        },
      ]
    case 'iif':
      return [{ dataset, extension: 'iif', text: writeIif(journal), rows, sums: {} }]
    case 'xero':
      return writeXero(journal).map(({ text, rows: own }, index) => ({
        dataset: index === 0 ? dataset : `${dataset}_${index + 1}`,
        extension: 'csv',
        text,
        rows: own,
        sums: { '*Amount': '0.00' },
      }))
  }
}

/** Both sides of some entries, as texts. */
export function totalsOf(entries: readonly JournalEntry[]): { debit: string; credit: string } {
  const { debit, credit } = sidesOf(entries.flatMap(({ lines }) => lines))
  return { debit: amountText(debit), credit: amountText(credit) }
}
