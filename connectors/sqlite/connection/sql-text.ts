/** Pieces of SQL: quoted names and texts, and columns read out of JSON. */
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import {
  FIRST_TIMESTAMP_MS,
  LAST_TIMESTAMP_MS,
  MAX_DECIMAL_EXPONENT,
  MAX_DECIMAL_LENGTH,
} from '../../stream.ts'
import type { Column, Stream } from '../../stream.ts'

export { literal, quote }

/**
 * Reads one column out of a JSONB value. `->` keeps the digits of a number token; `->>` would go
 * through a double.
 */
export function extract(column: Column, value: string): string {
  const path = literal(`$.${column.path}`)
  if (column.kind === 'decimal') return `nullif(trim(${value} -> ${path}, '"'), 'null')`
  const asJson = `nullif(${value} -> ${path}, 'null')`
  if (column.kind === 'json') return asJson
  // What is no text is kept as JSON spells it, with every digit.
  if (column.kind === 'text')
    return `iif(json_type(${value}, ${path}) = 'text', ${value} ->> ${path}, ${asJson})`
  return `${value} ->> ${path}`
}

/**
 * The time of a record's last change, as a number also where it came as a text: as the column takes
 * it. SQLite holds any text to be greater than any number, so the two never compare.
 */
export const instant = (stream: Stream, value: string): string =>
  `CAST(${extract(stream.columns[stream.cursor]!, value)} AS NUMERIC)`

/**
 * A decimal is spelled as JSON spells numbers, also where it came as a text. `json_valid` is one
 * quick parse where patterns would need six. Without `MAX_DECIMAL_LENGTH` and
 * `MAX_DECIMAL_EXPONENT`, `1e999999` would be a number that no file can hold.
 */
export const isDecimal = (value: string): string =>
  `${value} GLOB '[-0-9]*' AND ${value} GLOB '*[0-9]' AND json_valid(${value})` +
  ` AND length(${value}) <= ${MAX_DECIMAL_LENGTH} AND (${value} NOT GLOB '*[eE]*' OR` +
  ` abs(CAST(substr(${value}, instr(lower(${value}), 'e') + 1) AS INTEGER))` +
  ` <= ${MAX_DECIMAL_EXPONENT})`

/** Epoch milliseconds that every calendar, file format and database has a date for. */
export const isTimestamp = (value: string): string =>
  `${value} BETWEEN ${FIRST_TIMESTAMP_MS} AND ${LAST_TIMESTAMP_MS}`

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
  return `CASE WHEN ${number} = (${found})${limitsOf(column, number)} THEN ${number} END`
}

function limitsOf({ kind }: Column, number: string): string {
  if (kind === 'boolean') return ` AND ${number} IN (0, 1)`
  return kind === 'timestamp' ? ` AND ${isTimestamp(number)}` : ''
}
