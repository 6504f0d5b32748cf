import { monthFirst } from '../../../calendar/days.ts'
import { classOf, creditOf, debitOf, describeLine } from './journal.ts'
import type { Journal } from './journal.ts'
import { csvText, number } from './table.ts'

const HEADER = [
  'External ID',
  'Date',
  'Subsidiary',
  'Memo',
  'Account',
  'Debit',
  'Credit',
  'Location',
  'Class',
]

/** NetSuite's CSV import of journal entries: exact account texts, one entry per External ID. */
export function writeNetsuite({ entries, store }: Journal): string {
  return csvText(
    HEADER,
    entries.flatMap(entry =>
      entry.lines.map(line => [
        entry.number,
        monthFirst(entry.date),
        (entry.store ?? store).subsidiary,
        describeLine(entry, line),
        line.account.netsuite ?? textOf(line.account.code, line.account.name),
        number(debitOf(line)),
        number(creditOf(line)),
        (entry.store ?? store).location,
        classOf(line),
      ]),
    ),
  )
}

const textOf = (code: string, name: string): string => (code === name ? name : `${code} ${name}`)
