import { dayFirst, monthFirst } from '../../../calendar/days.ts'
import { amountText } from '../../books/amount.ts'
import { addUp } from '../entry.ts'
import type { JournalEntry } from '../entry.ts'
import { describeLine } from './journal.ts'
import type { Journal } from './journal.ts'
import { csvText, number } from './table.ts'

const HEADER = [
  '*Narration',
  '*Date',
  'Description',
  '*AccountCode',
  '*TaxRate',
  '*Amount',
  'TrackingName1',
  'TrackingOption1',
  'TrackingName2',
  'TrackingOption2',
]
const MAX_LINES = 300

/**
 * Xero's import of manual journals: account codes, debits positive, the rate by its full name;
 * narration and date make a journal. A file takes at most 300 lines, so there may be several, cut
 * between journals. A journal that is longer by itself is summed up by account.
 */
export function writeXero(journal: Journal): { text: string; rows: number }[] {
  const files: JournalEntry[][] = [[]]
  let lines = 0
  for (const entry of journal.entries.map(fit)) {
    if (lines + entry.lines.length > MAX_LINES && lines > 0) {
      files.push([])
      lines = 0
    }
    files.at(-1)!.push(entry)
    lines += entry.lines.length
  }
  return files.map(entries => ({
    text: writeOne({ ...journal, entries }),
    rows: entries.reduce((count, entry) => count + entry.lines.length, 0),
  }))
}

function fit(entry: JournalEntry): JournalEntry {
  if (entry.lines.length <= MAX_LINES) return entry
  return {
    ...entry,
    lines: addUp(
      entry.lines.map(line => ({
        ...line,
        part: '',
        metric: 'revenue',
        consumerType: '',
        category: '',
        tender: '',
        authority: '',
      })),
    ),
  }
}

function writeOne({ entries, store }: Journal): string {
  return csvText(
    HEADER,
    entries.flatMap(entry => {
      const { code, xeroTaxRate, xeroDates } = entry.store ?? store
      const date = xeroDates === 'month-first' ? monthFirst(entry.date) : dayFirst(entry.date)
      const narration = `Daily sales ${code} ${entry.businessDate} ${entry.number.slice(entry.number.lastIndexOf('-') + 1)}`
      return entry.lines.map(line => [
        narration,
        date,
        describeLine(entry, line),
        line.account.xero ?? line.account.code,
        xeroTaxRate,
        number(amountText(line.amount)),
        'Store',
        code,
        '',
        '',
      ])
    }),
  )
}
