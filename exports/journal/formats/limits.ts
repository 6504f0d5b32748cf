import { UsageError } from '../../../errors.ts'
import { addUp } from '../entry.ts'
import type { JournalEntry } from '../entry.ts'
import type { JournalFormat } from '../settings.ts'
import type { Journal } from './journal.ts'

/** More files of a day than any has needed so far; each is a dataset of its own. */
export const MOST_FILES = 9

/**
 * A journal in as many files as an importer needs, cut between entries, for one that is cut is two
 * that do not balance. An entry that is longer by itself is summed up by account. Throws a
 * UsageError for what no importer would take then.
 */
export function splitIntoFiles(
  format: JournalFormat,
  most: number | undefined,
  journal: Journal,
): Journal[] {
  if (most === undefined) return [journal]
  const files: JournalEntry[][] = [[]]
  let lines = 0
  for (const entry of journal.entries.map(one => fit(format, one, most))) {
    if (lines + entry.lines.length > most && lines > 0) {
      files.push([])
      lines = 0
    }
    files.at(-1)!.push(entry)
    lines += entry.lines.length
  }
  if (files.length > MOST_FILES)
    throw new UsageError(
      `the journals of this day would be ${files.length} files for ${format}, ` +
        `which are more than ${MOST_FILES}`,
      'Nothing was written. A day of that size is better imported in ' +
        `fewer formats: leave ${format} out of --format, or of accounting.formats.`,
    )
  return files.map(entries => ({ ...journal, entries }))
}

function fit(format: JournalFormat, entry: JournalEntry, most: number): JournalEntry {
  if (entry.lines.length <= most) return entry
  const fitted = { ...entry, lines: byAccount(entry) }
  if (fitted.lines.length <= most) return fitted
  throw new UsageError(
    `${entry.number} has ${fitted.lines.length} accounts, ` +
      `and ${format} takes at most ${most} lines of one entry`,
    'Nothing was written. Give categories the same account in accounting.byCategory, ' +
      `or write this day without --format ${format}.`,
  )
}

const byAccount = ({ lines }: JournalEntry): JournalEntry['lines'] =>
  addUp(
    lines.map(line => ({
      ...line,
      part: '',
      metric: 'revenue',
      consumerType: '',
      category: '',
      tender: '',
      authority: '',
    })),
  )
