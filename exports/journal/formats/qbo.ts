import { monthFirst } from '../../../calendar/days.ts'
import { csvText, number } from '../../../text/write-csv.ts'
import { classOf, creditOf, debitOf, describeLine } from './journal.ts'
import type { Journal, WrittenFormat } from './journal.ts'

const HEADER = [
  'JournalNo',
  'JournalDate',
  'AccountName',
  'Debits',
  'Credits',
  'Description',
  'Name',
  'Location',
  'Class',
]

/**
 * QuickBooks Online's import of journal entries: account names (`Parent:Sub`; account numbers must
 * be off while importing), the unused side blank, one entry per JournalNo.
 */
export function writeQbo({ entries, store }: Journal): string {
  return csvText(
    HEADER,
    entries.flatMap(entry =>
      entry.lines.map(line => [
        entry.number,
        monthFirst(entry.date),
        line.account.qbo ?? line.account.name,
        number(debitOf(line)),
        number(creditOf(line)),
        describeLine(entry, line),
        '',
        (entry.store ?? store).location,
        classOf(line),
      ]),
    ),
  )
}

export const qbo: WrittenFormat = {
  extension: 'csv',
  write: writeQbo,
  sums: ({ debit, credit }) => ({ Debits: debit, Credits: credit }),
  mostLines: 1_000,
}
