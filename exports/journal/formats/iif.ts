import { amountText } from '../../books/amount.ts'
import { classOf, describeLine } from './journal.ts'
import type { Journal } from './journal.ts'
import { american } from './table.ts'

const COLUMNS = ['TRNSTYPE', 'DATE', 'ACCNT', 'CLASS', 'AMOUNT', 'DOCNUM', 'MEMO']

/** QuickBooks Desktop: tab-separated, the first line of an entry is TRNS and the others are SPL, amounts add up to 0. */
export function writeIif({ entries }: Journal): string {
  const rows = [['!TRNS', ...COLUMNS], ['!SPL', ...COLUMNS], ['!ENDTRNS']]
  for (const entry of entries) {
    if (entry.lines.length === 0) continue
    for (const [index, line] of entry.lines.entries()) {
      const account = line.account.iif ?? line.account.qbo ?? line.account.name
      rows.push([index === 0 ? 'TRNS' : 'SPL', 'GENERAL JOURNAL', american(entry.date), account, classOf(line), amountText(line.amount), entry.number, describeLine(entry, line)])
    }
    rows.push(['ENDTRNS'])
  }
  return rows.map((row) => `${row.map(plain).join('\t')}\r\n`).join('')
}

/** There is no quoting in IIF: what would break a line or a cell becomes a space. */
const plain = (text: string): string => text.replaceAll(/["\t\r\n]/g, ' ')
