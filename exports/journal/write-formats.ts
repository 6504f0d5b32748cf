import { amountText } from '../../money/amount.ts'
import { sidesOf } from './entry.ts'
import type { JournalEntry } from './entry.ts'
import { EXCEPTIONS, TIE_OUT } from './formats/exceptions.ts'
import { generic } from './formats/generic.ts'
import { iif } from './formats/iif.ts'
import type { Journal, WrittenFormat } from './formats/journal.ts'
import { MOST_FILES, splitIntoFiles } from './formats/limits.ts'
import { netsuite } from './formats/netsuite.ts'
import { page } from './formats/page.ts'
import { qbo } from './formats/qbo.ts'
import { xero } from './formats/xero.ts'
import { BOOKS_OF_RECORD } from './posted.ts'
import { JOURNAL_FORMATS } from './settings.ts'
import type { JournalFormat } from './settings.ts'

/** A file to be: the dataset that its name begins with, its ending, its text. */
export interface JournalText {
  dataset: string
  extension: WrittenFormat['extension']
  text: string | Uint8Array
  rows: number
  /**
   * Sums of its columns of amounts, by the file's own names for them: the manifest's control
   * totals.
   */
  sums: Record<string, string>
}

const FORMATS: Readonly<Record<JournalFormat, WrittenFormat>> = {
  generic,
  qbo,
  xero,
  iif,
  netsuite,
  page,
}

/** Which dataset a format writes; one with a limit may write more than one file. */
export const datasetOf = (format: JournalFormat): string =>
  format === 'generic' ? BOOKS_OF_RECORD : `journal_${format}`

/** What is checked and found is written with every journal, and where there is none. */
const CHECKS: readonly string[] = [EXCEPTIONS, TIE_OUT]
/** `journal_xero`, and `journal_xero_2` where one file has no room for all of a day. */
export const partsOf = (format: JournalFormat): string[] =>
  Array.from({ length: FORMATS[format].mostLines === undefined ? 1 : MOST_FILES }, (_, index) =>
    nameOf(format, index),
  )

const nameOf = (format: JournalFormat, index: number): string =>
  index === 0 ? datasetOf(format) : `${datasetOf(format)}_${index + 1}`

/** The datasets that somebody imports. */
export const IMPORTED_DATASETS: readonly string[] = JOURNAL_FORMATS.flatMap(partsOf)
/** Every dataset that a journal may write. */
export const JOURNAL_DATASETS: readonly string[] = [...IMPORTED_DATASETS, ...CHECKS]

/** Whether this dataset is reported to somebody who asked for these formats. */
export function isOfJournal(dataset: string, formats: readonly JournalFormat[]): boolean {
  return (
    CHECKS.includes(dataset) ||
    dataset === BOOKS_OF_RECORD ||
    formats.some(format => partsOf(format).includes(dataset))
  )
}

/** The same entries in one format, in as many files as its importer needs. */
export function writeFormat(format: JournalFormat, journal: Journal): JournalText[] {
  const { extension, write, sums, mostLines } = FORMATS[format]
  return splitIntoFiles(format, mostLines, journal).map((part, index) => ({
    dataset: nameOf(format, index),
    extension,
    text: write(part),
    rows: part.entries.reduce((count, { lines }) => count + lines.length, 0),
    sums: sums(totalsOf(part.entries)),
  }))
}

/** Both sides of some entries, as texts. */
export function totalsOf(entries: readonly JournalEntry[]): { debit: string; credit: string } {
  const { debit, credit } = sidesOf(entries.flatMap(({ lines }) => lines))
  return { debit: amountText(debit), credit: amountText(credit) }
}
