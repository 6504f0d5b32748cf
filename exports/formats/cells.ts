import { quoteName } from '../../connectors/quote.ts'
import type { DatasetColumn } from '../dataset.ts'

/** A column as one export writes it. */
export interface ExportColumn extends DatasetColumn {
  /** Written empty, because it tells who somebody is. */
  masked: boolean
  /**
   * Some of its cells are not written as they are: decimals with an exponent or a sign that plain
   * digits do not have, texts with a NUL character, which CSV and Excel have no place for.
   */
  rewritten: boolean
}

/**
 * The cell's text in CSV, as SQL on row `r`: numbers keep their own digits, NULL stays NULL.
 * Timestamps come as milliseconds, for `isoUtc`: SQLite's own date functions are five times slower,
 * and NULL beyond the year 9999.
 */
export function textCellSql(column: ExportColumn): string {
  const cell = `r.${quoteName(column.name)}`
  if (column.masked) return 'NULL'
  if (column.kind === 'boolean') return `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`
  // As text, since integers beyond 2^53 do not survive as JavaScript numbers.
  if (column.kind === 'integer') return `CAST(${cell} AS TEXT)`
  if (!column.rewritten) return cell
  return column.kind === 'decimal' ? `plain_decimal(${cell})` : `without_nul(${cell})`
}

/** ISO 8601 in UTC with milliseconds. */
export function isoUtc(ms: number): string {
  return new Date(ms).toISOString()
}

/** The cell as a JSON value, as SQL for `json_object`; not for timestamps. */
export function jsonOf(column: ExportColumn): string {
  const cell = `r.${quoteName(column.name)}`
  if (column.masked) return 'NULL'
  if (column.kind === 'integer') return cell
  if (column.kind === 'boolean')
    return `CASE ${cell} WHEN 1 THEN json('true') WHEN 0 THEN json('false') END`
  return column.kind === 'json' ? `json(${cell})` : textCellSql(column)
}

/** The cell on its way to DuckDB, as SQL for `json_array`: text, integers and NULL only. */
export function duckdbCellSql(column: ExportColumn): string {
  const asText = column.masked || column.rewritten || column.kind === 'decimal'
  return asText ? textCellSql(column) : `r.${quoteName(column.name)}`
}

/** True for a text with a NUL character, as SQL. */
export function nulCell(column: ExportColumn): string | undefined {
  if (column.masked || column.kind !== 'text') return undefined
  return `instr(r.${quoteName(column.name)}, char(0)) > 0`
}

/**
 * True for a value that its kind does not allow, as SQL. Writers would silently turn some of these
 * into NULL.
 */
export function brokenCell(column: ExportColumn): string | undefined {
  const cell = `r.${quoteName(column.name)}`
  if (column.masked) return undefined
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
