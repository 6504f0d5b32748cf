import { toAmount } from '../../../money/amount.ts'
import { readCsv } from '../../../text/read-csv.ts'
import { csvText, number } from '../../../text/write-csv.ts'
import type { Cell } from '../../../text/write-csv.ts'
import { memoOf, SOURCE_METRICS } from '../entry.ts'
import type { JournalEntry, JournalLine } from '../entry.ts'
import { letterOf, POSTED } from '../journal-number.ts'
import { creditOf, debitOf } from './journal.ts'
import type { Journal, WrittenFormat } from './journal.ts'

const HEADER = [
  'journal_id',
  'revision',
  'store_key',
  'business_date',
  'line_no',
  'account_code',
  'account_name',
  'debit',
  'credit',
  'consumer_type',
  'category',
  'tender',
  'authority',
  'memo',
  'source_metric',
  'txn_count',
  'currency',
]

/**
 * daily_sales_journal.csv: everything that is known of every line. It is also the memory of the
 * books: what was posted is read back from it, so it is written whatever other format was asked
 * for. `business_date` is the date of booking, the original day stands in `journal_id`.
 */
export function writeGeneric({ storeKey, store, entries }: Journal): string {
  const rows = entries.flatMap(entry =>
    entry.lines.map((line, index): Cell[] => [
      entry.number,
      number(String(entry.revision)),
      storeKey,
      entry.date,
      number(String(index + 1)),
      line.account.code,
      line.account.name,
      number(debitOf(line)),
      number(creditOf(line)),
      line.consumerType,
      line.category,
      line.tender,
      line.authority,
      memoOf(line),
      line.metric,
      number(String(line.transactions)),
      (entry.store ?? store).currency ?? store.currency ?? '',
    ]),
  )
  return csvText(HEADER, rows)
}

const postingOrChange = (onItsDay: boolean): JournalEntry['kind'] =>
  onItsDay ? 'posting' : 'change'

/** The entries of a published file. Accounts come back with code and name alone. */
export function readGeneric(text: string, businessDate: string): JournalEntry[] {
  const entries = new Map<string, JournalEntry & { lines: JournalLine[] }>()
  for (const row of readCsv(text)) {
    const cell = (name: string): string => row[name] ?? ''
    const id = cell('journal_id')
    const date = cell('business_date')
    const kind = letterOf(id) === POSTED ? postingOrChange(date === businessDate) : 'reversal'
    const entry = entries.get(id) ?? {
      number: id,
      revision: Number(cell('revision')),
      kind,
      date,
      businessDate,
      lines: [],
    }
    entries.set(id, entry)
    entry.lines.push({
      account: { code: cell('account_code'), name: cell('account_name') },
      metric: SOURCE_METRICS.find(metric => metric === cell('source_metric')) ?? 'suspense',
      part: cell('memo').slice(cell('account_name').length + ' - '.length),
      consumerType: cell('consumer_type'),
      category: cell('category'),
      tender: cell('tender'),
      authority: cell('authority'),
      amount: (toAmount(cell('debit')) ?? 0n) - (toAmount(cell('credit')) ?? 0n),
      transactions: Number(cell('txn_count')),
    })
  }
  return [...entries.values()]
}

export const generic: WrittenFormat = {
  extension: 'csv',
  write: writeGeneric,
  sums: ({ debit, credit }) => ({ debit, credit }),
}
