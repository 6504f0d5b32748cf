/** Pieces of SQL: quoted names and texts, and what a value has to be. */
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import {
  FIRST_TIMESTAMP_MS,
  LAST_TIMESTAMP_MS,
  MAX_DECIMAL_EXPONENT,
  MAX_DECIMAL_LENGTH,
} from '../../stream.ts'

export { literal, quote }

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
