/** Tables and views of the books, as they are declared on PostgreSQL. */
import type { ShownBook } from '../../destination/shown-books.ts'
import { quoteName } from '../../quote.ts'
import type { ColumnKind } from '../../stream.ts'
import { TEXT } from '../schema/bookkeeping.ts'
import { shownAs, storedView } from '../schema/stream-views.ts'

type BookKind = ShownBook['columns'][number]['kind']

/** As cells of books are written: true and false as 1 and 0, days as texts. */
const WRITTEN_KIND: Readonly<Record<BookKind, ColumnKind>> = {
  text: 'text',
  date: 'text',
  decimal: 'text',
  json: 'text',
  integer: 'integer',
  timestamp: 'integer',
  boolean: 'integer',
}

export const writtenKinds = ({ columns }: ShownBook): ColumnKind[] =>
  columns.map(({ kind }) => WRITTEN_KIND[kind])

/** Where computed rows lie, in the transaction that has them. */
export const temporary = (table: string): string => `pg_temp.${quoteName(table)}`

export const columnTypes = ({ columns }: ShownBook): string =>
  columns
    .map(
      ({ name, kind }) =>
        `${quoteName(name)} ${WRITTEN_KIND[kind] === 'integer' ? 'bigint' : TEXT}`,
    )
    .join(', ')

/** The view of a book twice, as of every list: as it is kept, and as the types that it means. */
export function bookViews({ view, columns }: ShownBook): string[] {
  const names = columns.map(({ name }) => quoteName(name))
  const shown = columns.map(
    ({ name, kind }) => `${shownCell(quoteName(name), kind)} AS ${quoteName(name)}`,
  )
  return [
    `CREATE VIEW ${storedView(view)} AS SELECT ${names.join(', ')} FROM rows_${view}`,
    `CREATE VIEW ${view} AS SELECT ${shown.join(', ')} FROM ${storedView(view)}`,
  ]
}

function shownCell(cell: string, kind: BookKind): string {
  if (kind === 'date') return `${cell}::date`
  return kind === 'boolean' ? `(${cell} <> 0)` : shownAs(kind, cell)
}
