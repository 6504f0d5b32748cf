import { createHash } from 'node:crypto'
import type { JournalEntry } from './entry.ts'

/** QuickBooks takes no longer ones. */
const MAX_LENGTH = 21
const LETTERS: Readonly<Record<JournalEntry['kind'], string>> = { posting: 'R', change: 'R', reversal: 'X' }

/**
 * `S1-20260308-R0`; the reversal that comes with revision 1 is `S1-20260308-X1`. A store's code that would make it too
 * long is cut, with four characters of its hash at the end. That two stores never share a number, `sharedCodes` sees to.
 */
export function journalNumber(code: string, businessDate: string, kind: JournalEntry['kind'], revision: number): string {
  const rest = `-${businessDate.replaceAll('-', '')}-${LETTERS[kind]}${revision}`
  return `${shorten(code, MAX_LENGTH - rest.length)}${rest}`
}

function shorten(code: string, length: number): string {
  if (code.length <= length) return code
  return `${code.slice(0, length - 4)}${createHash('sha256').update(code).digest('hex').slice(0, 4)}`
}

/** Of these codes by store, the two that would give one number to two stores; importers do not tell capitals apart. */
export function sharedCodes(codes: ReadonlyMap<string, string>): [store: string, other: string][] {
  const found = new Map<string, [string, string]>()
  for (const revision of [0, 10, 100]) {
    const owners = new Map<string, string>()
    for (const [store, code] of codes) {
      const number = journalNumber(code, '2000-01-01', 'posting', revision).toLowerCase()
      const other = owners.get(number)
      if (other === undefined) owners.set(number, store)
      else found.set(store, [other, store])
    }
  }
  return [...found.values()]
}
