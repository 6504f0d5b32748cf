import { UsageError } from '../../errors.ts'
import { sha256BytesOf, sha256Of } from '../../sha256.ts'

/** QuickBooks takes no longer ones. */
const MAX_LENGTH = 21
/** Of postings and changes, of which a revision has one. */
export const POSTED = 'R'
/** Of the reversals of a revision, in their order: every other letter. */
const REVERSED = 'XYZABCDEFGHIJKLMNOPQSTUVW'

/** The letter of a revision's first reversal is X, of the next ones Y, Z, A, B, ... */
export function reversalLetter(businessDate: string, place: number): string {
  const letter = REVERSED[place]
  if (letter === undefined)
    throw new UsageError(
      `more than ${REVERSED.length} entries of ${businessDate} would have to be taken back, ` +
        'and there are no numbers for more',
      'Nothing was written. Close the month of this day again: ' +
        'what changed is then posted as one entry.',
    )
  return letter
}

/** The letter of a journal's number. */
export const letterOf = (number: string): string => /-([A-Z])\d+$/.exec(number)?.[1] ?? POSTED

/**
 * `S1-20260308-R0`; the first reversal that comes with revision 1 is `S1-20260308-X1`. A store's
 * code that would make it too long is cut, with four characters of its hash at the end. That two
 * stores never share a number, `sharedCodes` sees to.
 */
export function journalNumber(
  code: string,
  businessDate: string,
  letter: string,
  revision: number,
): string {
  const rest = `-${businessDate.replaceAll('-', '')}-${letter}${revision}`
  return `${shorten(code, MAX_LENGTH - rest.length)}${rest}`
}

function shorten(code: string, length: number): string {
  if (code.length <= length) return code
  return `${code.slice(0, length - 4)}${sha256Of(code).slice(0, 4)}`
}

/**
 * The same in the 11 characters that QuickBooks Desktop takes: `S1-26308R0` is 2026-03-08, and
 * October to December are A to C. A code of more than three characters is three of its hash here. A
 * revision from 100 on is A0, A1, ...
 */
export function shortNumber(
  code: string,
  businessDate: string,
  letter: string,
  revision: number,
): string {
  const tag = tagOf(code)
  const month = Number(businessDate.slice(5, 7)).toString(16).toUpperCase()
  if (revision > LAST_SHORT)
    throw new UsageError(
      `${businessDate} has revision ${revision}, ` +
        `and QuickBooks Desktop has no room for a number beyond ${LAST_SHORT}`,
      'Nothing was written. Find out what changes this day so often, ' +
        'or write it without --format iif.',
    )
  const counted = revision < 100 ? String(revision) : (revision + 260).toString(36).toUpperCase()
  return `${tag}${businessDate.slice(2, 4)}${month}${businessDate.slice(8)}${letter}${counted}`
}

const SHORT_TAG = 3
/** `ZZ`. */
const LAST_SHORT = 1_035

function tagOf(code: string): string {
  if (code.length < SHORT_TAG) return `${code}-`
  return code.length === SHORT_TAG ? code : hashOf(code)
}

const hashOf = (code: string): string =>
  (sha256BytesOf(code).readUInt32BE() % 36 ** SHORT_TAG)
    .toString(36)
    .padStart(SHORT_TAG, '0')
    .toUpperCase()

/**
 * Of these codes by store, the two that would give one number to two stores; importers do not tell
 * capitals apart.
 */
export function sharedCodes(
  codes: ReadonlyMap<string, string>,
  numberOf: typeof journalNumber,
): [store: string, other: string][] {
  const found = new Map<string, [string, string]>()
  for (const revision of [0, 10, 100]) {
    const owners = new Map<string, string>()
    for (const [store, code] of codes) {
      const number = numberOf(code, '2000-01-01', POSTED, revision).toLowerCase()
      const other = owners.get(number)
      if (other === undefined) owners.set(number, store)
      else found.set(store, [other, store])
    }
  }
  return [...found.values()]
}
