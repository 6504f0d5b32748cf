import { dayFirst, monthFirst } from '../../../calendar/days.ts'
import { amountText } from '../../../money/amount.ts'
import { csvText, number } from '../../../text/write-csv.ts'
import { describeLine } from './journal.ts'
import type { Journal, WrittenFormat } from './journal.ts'

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

/**
 * Xero's import of manual journals: account codes, debits positive, the rate by its full name;
 * narration and date make a journal.
 */
export function writeXero({ entries, store }: Journal): string {
  return csvText(
    HEADER,
    entries.flatMap(entry => {
      const { code, xeroTaxRate, xeroDates } = entry.store ?? store
      const date = xeroDates === 'month-first' ? monthFirst(entry.date) : dayFirst(entry.date)
      const narration =
        `Daily sales ${code} ${entry.businessDate} ` +
        entry.number.slice(entry.number.lastIndexOf('-') + 1)
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

export const xero: WrittenFormat = {
  extension: 'csv',
  write: writeXero,
  // One column of both signs.
  sums: () => ({ '*Amount': '0.00' }),
  mostLines: 300,
}
