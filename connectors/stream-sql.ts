/** SQL that follows from a declaration and that reader, destination and exports share. */
import { columnName } from './stream.ts'

/**
 * The moment that puts a record on a business day, in SQL; 0 is how some servers write "never". An
 * index has it word for word.
 */
export const bookedAtSql = (bookedAt: readonly string[]): string =>
  `coalesce(${bookedAt.map(path => `nullif("${columnName(path)}", 0)`).join(', ')})`

/** The table that holds the rows of a stream, or the lines of its records. */
export const rowTable = (name: string): string => `rows_${name}`
