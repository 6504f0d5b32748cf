import { DatabaseError } from '../../errors.ts'
import type { TableShape } from './ends.ts'

/** A table that both have, and how its rows are told apart. */
export interface CopiedTable {
  name: string
  columns: readonly string[]
  /** Whole numbers. */
  key: readonly string[]
}

/** What the books show to SQL, and as of when: computed again by whoever looks next. */
export const isComputed = (table: string): boolean => /^(rows_)?books_/.test(table)

/** Numbers rows as they come, where nothing else does. */
const ROWID = 'rowid'

/**
 * Every table of the source, in the columns of both. Fails where the target could not hold one:
 * nothing stays behind.
 */
export function planTables(
  source: readonly TableShape[],
  target: readonly TableShape[],
): CopiedTable[] {
  const known = new Map(target.map(shape => [shape.name, shape]))
  const misfits = source.filter(shape => !fits(shape, known.get(shape.name)))
  if (misfits.length > 0)
    throw new DatabaseError(
      'DATABASE_BROKEN',
      `the two databases have not the same tables: ${misfits.map(({ name }) => name).join(', ')}`,
      {
        remedy:
          'One of them was changed by hand, or is of another version: run tillage doctor ' +
          '--database, and tillage status, which brings tables up to date. Nothing was copied.',
      },
    )
  return source.map(({ name, columns, key }) => {
    const both = columns.filter(column => known.get(name)!.columns.includes(column))
    return { name, columns: both, key: both.includes(ROWID) ? [ROWID] : key }
  })
}

const fits = (one: TableShape, other: TableShape | undefined): boolean =>
  other !== undefined && declared(one) === declared(other)

const declared = ({ columns }: TableShape): string =>
  columns
    .filter(column => column !== ROWID)
    .toSorted()
    .join()
