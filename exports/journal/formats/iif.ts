import { monthFirst } from '../../../calendar/days.ts'
import { amountText } from '../../../money/amount.ts'
import type { Account } from '../chart.ts'
import type { JournalLine } from '../entry.ts'
import { letterOf, shortNumber } from '../journal-number.ts'
import { classOf, describeLine } from './journal.ts'
import type { Journal, WrittenFormat } from './journal.ts'
import { inWindows1252, isWindows1252, toWindows1252 } from './windows-1252.ts'

const COLUMNS = ['TRNSTYPE', 'DATE', 'ACCNT', 'CLASS', 'AMOUNT', 'DOCNUM', 'MEMO']

/** What QuickBooks Desktop calls an account. */
export const desktopText = ({ iif, qbo, name }: Account): string => iif ?? qbo ?? name

/**
 * QuickBooks Desktop: tab-separated, the first line of an entry is TRNS and the others are SPL,
 * amounts add up to 0. It reads the Windows code page, so the file is Windows-1252, and its numbers
 * have 11 characters.
 */
export function writeIif({ store, entries }: Journal): Uint8Array {
  const rows = [['!TRNS', ...COLUMNS], ['!SPL', ...COLUMNS], ['!ENDTRNS']]
  for (const entry of entries) {
    if (entry.lines.length === 0) continue
    const number = shortNumber(
      (entry.store ?? store).code,
      entry.businessDate,
      letterOf(entry.number),
      entry.revision,
    )
    for (const [index, line] of entry.lines.entries()) {
      rows.push([
        index === 0 ? 'TRNS' : 'SPL',
        'GENERAL JOURNAL',
        monthFirst(entry.date),
        desktopText(line.account),
        classOf(line),
        amountText(line.amount),
        number,
        describeLine(entry, readable(line)),
      ])
    }
    rows.push(['ENDTRNS'])
  }
  return toWindows1252(rows.map(row => `${row.map(plain).join('\t')}\r\n`).join(''))
}

/** An account whose name the file has no letters for is called in words as it is booked. */
const readable = (line: JournalLine): JournalLine =>
  isWindows1252(line.account.name)
    ? line
    : { ...line, account: { ...line.account, name: desktopText(line.account) } }

/**
 * There is no quoting in IIF: what would break a line or a cell becomes a space. Only after letters
 * were replaced: a full-width quote is a quote then.
 */
const plain = (text: string): string => inWindows1252(text).replaceAll(/["\t\r\n]/g, ' ')

export const iif: WrittenFormat = { extension: 'iif', write: writeIif, sums: () => ({}) }
