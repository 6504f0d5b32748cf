import { amountText, toAmount } from '../../money/amount.ts'
import type { DatasetColumn } from '../dataset.ts'

/** Its file's name begins so; one for each revision after the first that changed the books. */
export const RESTATEMENT = 'restatement'

export const RESTATEMENT_COLUMNS = [
  'business_date',
  'from_rev',
  'to_rev',
  'transaction_id',
  'field',
  'old',
  'new',
  'detected_at',
  'posting',
] as const

/** Of one transaction: cells by column, as text; what is missing is `null`. */
export type BookRow = Readonly<Record<string, string | null>>

/**
 * One field that is not what it was. `total_due` of the transaction itself, `payments[2].tender` of
 * what belongs to it.
 */
export interface Change {
  field: string
  old: string | null
  new: string | null
}

/**
 * Files leave NUL characters out, and CSV knows no difference between nothing and an empty text.
 */
function textOrNull(cell: string | null): string | null {
  const text = cell?.replaceAll('\0', '') ?? ''
  return text === '' ? null : text
}

/**
 * Text that is equal where the values are: decimals without the zeros that a column's type adds,
 * and without exponents.
 */
export function canonical(column: DatasetColumn, cell: string | null): string | null {
  if (cell === null || column.kind !== 'decimal') return textOrNull(cell)
  const amount = toAmount(cell)
  return amount === undefined ? cell : amountText(amount)
}

/**
 * What changed of one transaction in one dataset. A row that is new or gone has a line for each of
 * its cells that say something, so that for any amount the new less the old is what the books
 * change by. A column that the file that was given out does not have, because the program that
 * wrote it did not know it, is no change.
 */
export function changesOf(
  dataset: {
    name: string
    isHeader: boolean
    key: readonly string[]
    columns: readonly DatasetColumn[]
  },
  before: readonly BookRow[],
  after: readonly BookRow[],
): Change[] {
  const keyOf = (row: BookRow): string =>
    dataset.key
      .map(name => row[name] ?? '')
      .join(' ')
      .trim()
  const old = new Map(before.map(row => [keyOf(row), row]))
  const now = new Map(after.map(row => [keyOf(row), row]))
  return [...new Set([...old.keys(), ...now.keys()])].flatMap(key => {
    const [was, is] = [old.get(key), now.get(key)]
    return dataset.columns
      .filter(({ name }) => was === undefined || name in was)
      .flatMap((column): Change[] => {
        const [from, to] = [was, is].map(row => canonical(column, row?.[column.name] ?? null))
        const silent =
          (was === undefined || is === undefined) &&
          [from, to].every(cell => cell === null || cell === '0.00')
        return from === to || silent
          ? []
          : [
              {
                field: dataset.isHeader ? column.name : `${dataset.name}[${key}].${column.name}`,
                old: from ?? null,
                new: to ?? null,
              },
            ]
      })
  })
}

/**
 * Where a change belongs: to the day itself while its period is open, to the day of the run when it
 * is closed.
 */
export function postingPeriod(
  businessDate: string,
  periodClosedThrough: string | undefined,
): 'original' | 'current' {
  return periodClosedThrough === undefined || businessDate > periodClosedThrough
    ? 'original'
    : 'current'
}

/** In the order of the files: bytes, as SQLite compares texts. */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
