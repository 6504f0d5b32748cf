import { quoteName as quote } from '../quote.ts'
import type { RowsQuestion } from './ends.ts'

/** The question as SQL; each database has its own way to make a text of a column's value. */
export function selectRows(
  { table, columns, key, after, beside = { join: '', values: [] } }: RowsQuestion,
  asText: (value: string, column: string) => string,
): string {
  const values = [
    ...columns.map(column => asText(`t.${quote(column)}`, column)),
    ...beside.values,
  ].join(', ')
  const keys = key.map(column => `t.${quote(column)}`).join(', ')
  const beyond = after === undefined ? '' : `WHERE (${keys}) > (${after.map(Number).join(', ')})`
  return `SELECT ${values} FROM ${quote(table)} t ${beside.join} ${beyond} ORDER BY ${keys}`
}
