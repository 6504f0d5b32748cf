import type { StoredColumn } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'

const cellOf = ({ name }: StoredColumn): string => `r.${quoteName(name)}`

/** The cell on row `r`, as SQL. Integers from 2^53 on do not survive as JavaScript numbers. */
export function cellSql(column: StoredColumn | undefined): string {
  if (column === undefined) return 'NULL'
  const cell = cellOf(column)
  if (column.kind !== 'integer') return cell
  return `iif(${cell} BETWEEN -9007199254740991 AND 9007199254740991, ${cell}, CAST(${cell} AS TEXT))`
}

/** The cell as text, without the NUL characters that no text of a question may have. */
export function textSql(column: StoredColumn | undefined): string {
  if (column === undefined) return 'NULL'
  return column.kind === 'text' || column.kind === 'json'
    ? `replace(${cellOf(column)}, char(0), '')`
    : `CAST(${cellOf(column)} AS TEXT)`
}

/**
 * True for a value that its kind does not allow, as SQL. Writers would silently turn some of these
 * into NULL.
 */
export function brokenSql(column: StoredColumn): string | undefined {
  const cell = cellOf(column)
  switch (column.kind) {
    case 'integer':
      return `typeof(${cell}) NOT IN ('integer', 'null')`
    case 'boolean':
      return `(${cell} IS NOT NULL AND ${cell} NOT IN (0, 1))`
    case 'timestamp':
      // 8.64e15 is where both JavaScript's and DuckDB's calendars are still whole.
      return (
        `(${cell} IS NOT NULL AND NOT (typeof(${cell}) = 'integer' ` +
        `AND ${cell} BETWEEN -8640000000000000 AND 8640000000000000))`
      )
    case 'json':
      return `NOT coalesce(json_valid(${cell}), 1)`
    case 'text':
    case 'date':
    case 'decimal':
      return undefined
  }
}
