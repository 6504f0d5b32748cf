/** SQL that follows from a declaration and that reader, destination and exports share. */
import { columnName } from './stream.ts'
import type { Stream } from './stream.ts'

/**
 * The moment that puts a record on a business day, in SQL; 0 is how some servers write "never". An
 * index has it word for word.
 */
export const bookedAtSql = (bookedAt: readonly string[]): string =>
  `coalesce(${bookedAt.map(path => `nullif("${columnName(path)}", 0)`).join(', ')})`

/**
 * SQL for a record's key out of a JSONB value: its id, else the fields that stand in for one. An id
 * is a text, or a whole number with every digit that it came with (`->`, since `->>` goes through a
 * double beyond 2^63); anything else is none.
 */
export function keySql(stream: Stream, value: string): string {
  const id = `
    CASE json_type(${value}, '$.id')
      WHEN 'text' THEN ${value} ->> '$.id'
      WHEN 'integer' THEN ${value} -> '$.id'
    END`
  if (stream.key === undefined) return id
  const parts = stream.key.map(path => `coalesce(${value} ->> '$.${path}', '')`).join(" || '/' || ")
  const none = '/'.repeat(stream.key.length - 1)
  return `coalesce(nullif(${id}, ''), nullif(${parts}, '${none}'))`
}

/** The table that holds the rows of a stream, or the lines of its records. */
export const rowTable = (name: string): string => `rows_${name}`
