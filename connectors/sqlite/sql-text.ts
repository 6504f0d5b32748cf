/** Pieces of SQL: quoted names and texts, and columns read out of JSON. */
import { quoteName as quote, quoteText as literal } from '../quote.ts'
import type { Column, Stream } from '../stream.ts'

export const rowTable = (name: string): string => `rows_${name}`

export { literal, quote }

/**
 * Reads one column out of a JSONB value. `->` keeps the digits of a number token; `->>` would go
 * through a double.
 */
export function extract(column: Column, value: string): string {
  const path = literal(`$.${column.path}`)
  if (column.kind === 'decimal') return `nullif(trim(${value} -> ${path}, '"'), 'null')`
  if (column.kind === 'json') return `nullif(${value} -> ${path}, 'null')`
  return `${value} ->> ${path}`
}

/**
 * A decimal is spelled as JSON spells numbers, also where it came as a text. `json_valid` is one
 * quick parse where patterns would need six.
 */
export const isDecimal = (value: string): string =>
  `${value} GLOB '[-0-9]*' AND ${value} GLOB '*[0-9]' AND json_valid(${value})`

/**
 * The same out of a record that is in the tables already, whose field may not fit a column that was
 * declared later: what the loader would have stored, and nothing where it would have refused the
 * record.
 */
export function extractOrNull(column: Column, value: string): string {
  const found = extract(column, value)
  if (column.kind === 'text' || column.kind === 'json') return found
  if (column.kind === 'decimal') return `CASE WHEN ${isDecimal(found)} THEN ${found} END`
  // A text that is a number counts, as it does on the way into the table: compared with a number it
  // becomes one.
  const number = `CAST(CAST(${found} AS NUMERIC) AS INTEGER)`
  const isBoolean = column.kind === 'boolean' ? ` AND ${number} IN (0, 1)` : ''
  return `CASE WHEN ${number} = (${found})${isBoolean} THEN ${number} END`
}

/** Whether the API itself says of a record that it is deleted. */
export const saysDeleted = (stream: Stream): boolean =>
  stream.columns['deleted']?.kind === 'boolean'
