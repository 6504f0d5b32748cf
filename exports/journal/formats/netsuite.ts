import { monthFirst } from '../../../calendar/days.ts'
import { UsageError } from '../../../errors.ts'
import { magnitude, ONE } from '../../../money/amount.ts'
import { csvText, number } from '../../../text/write-csv.ts'
import type { JournalEntry } from '../entry.ts'
import { classOf, creditOf, debitOf, describeLine } from './journal.ts'
import type { Journal, WrittenFormat } from './journal.ts'

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
  entries.forEach(refuseTooLarge)
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

/** NetSuite takes ten digits before the point. */
const TOO_LARGE = ONE * 10n ** 10n

function refuseTooLarge({ number: name, lines }: JournalEntry): void {
  const line = lines.find(({ amount }) => magnitude(amount) >= TOO_LARGE)
  if (line !== undefined)
    throw new UsageError(
      `${name} has an amount of more than 10 digits on ${line.account.code}, ` +
        'and NetSuite takes no such amount',
      'look for a wrong figure at the till, or write this day without --format netsuite',
    )
}

const textOf = (code: string, name: string): string => (code === name ? name : `${code} ${name}`)

export const netsuite: WrittenFormat = {
  extension: 'csv',
  write: writeNetsuite,
  sums: ({ debit, credit }) => ({ Debit: debit, Credit: credit }),
  mostLines: 25_000,
}
