import { DatabaseError } from '../../errors.ts'
import type { StoredColumn, StoredTable } from '../destination/snapshot.ts'
import { quoteName } from '../quote.ts'

/** Which rows of a table an export reads, and in which order. */

/** A list of values needs two. */
const NO_TIME = 'CAST(NULL AS bigint)'

export const isWhole = ({ windowing, relation }: StoredTable): boolean =>
  windowing === 'full-refresh' || relation !== undefined

/**
 * Children follow their parent: an item belongs to the range in which its transaction was modified.
 * A record without the cursor must not fall out of every export: another of its times stands in. As
 * two searches, each uses the cursor's index. Tombstones are in no file: a record that is gone
 * makes the next revision (INV-5).
 */
export function sourceOf(table: StoredTable, viewOf: (name: string) => string): string {
  if (table.relation !== undefined)
    return `FROM ${quoteName(table.relation)} AS r WHERE r.store_id = @store`
  const within = (time: string): string => `${time} >= @start AND ${time} < @end`
  const cursor = quoteName(table.cursor)
  const otherTime = `coalesce(${[NO_TIME, ...table.otherTimes.map(quoteName), NO_TIME].join(', ')})`
  const { view = table.name, key = 'id' } = table.parent ?? {}
  const pick = `SELECT id FROM ${quoteName(viewOf(view))} WHERE store_id = @store AND deleted_at IS NULL`
  const picked = isWhole(table)
    ? pick
    : `${pick} AND ${within(cursor)}
       UNION ALL
       ${pick} AND ${cursor} IS NULL AND ${within(otherTime)}`
  return `FROM ${quoteName(viewOf(table.name))} AS r
          WHERE r.store_id = @store AND r.${quoteName(key)} IN (${picked})`
}

/**
 * Rows of books are numbered in their order already; a list inside a record follows by its own
 * number.
 */
export function orderOf({ relation, order }: StoredTable): string {
  const names =
    relation === undefined ? order : ['seq', ...order.filter(name => name === 'line_no')]
  return names.map(name => `r.${quoteName(name)}`).join(', ')
}

/** A value that is none of its column's kind: names the place, never the value (INV-10). */
export const brokenCell = ({ name, stream }: StoredTable, column: StoredColumn): DatabaseError =>
  new DatabaseError(
    'DATABASE_BROKEN',
    `${name}.${column.name} holds a value that is no ${column.kind}`,
    {
      remedy: `the database was changed by something else; sync ${stream} for this range again`,
    },
  )
