import { createHash } from 'node:crypto'
import type { JournalEntry } from './entry.ts'

/** QuickBooks takes no longer ones. */
const MAX_LENGTH = 21
const LETTERS: Readonly<Record<JournalEntry['kind'], string>> = { posting: 'R', change: 'R', reversal: 'X' }

/**
 * `S1-20260308-R0`; the reversal that comes with revision 1 is `S1-20260308-X1`. A store's code that would make it too
 * long is cut, with four characters of its hash at the end, so that two stores never share a number.
 */
export function journalNumber(code: string, businessDate: string, kind: JournalEntry['kind'], revision: number): string {
  const rest = `-${businessDate.replaceAll('-', '')}-${LETTERS[kind]}${revision}`
  return `${shorten(code, MAX_LENGTH - rest.length)}${rest}`
}

function shorten(code: string, length: number): string {
  if (code.length <= length) return code
  return `${code.slice(0, length - 4)}${createHash('sha256').update(code).digest('hex').slice(0, 4)}`
}
