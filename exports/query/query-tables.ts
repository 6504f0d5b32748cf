import type { Stream } from '../../connectors/stream.ts'
import { declaredColumns } from '../dataset.ts'
import type { DatasetColumn } from '../dataset.ts'
import { bookColumns, booksOf } from '../sales/book-datasets.ts'
import { viewOf } from '../sales/shown-books.ts'

/** A table that a question may read. */
export interface QueryTable {
  name: string
  columns: readonly DatasetColumn[]
}

const column = (name: string, kind: DatasetColumn['kind']): DatasetColumn => ({
  name,
  kind,
  person: false,
})

/**
 * Each of these views that shows rows of a stream or a book, with the columns that may be read:
 * records as JSON are in none of them, and columns that tell who somebody is only `withPeople`.
 */
export function queryTables(
  views: readonly string[],
  streams: readonly Stream[],
  withPeople: boolean,
): QueryTable[] {
  return streams
    .flatMap(tablesOf)
    .filter(({ name }) => views.includes(name))
    .map(({ name, columns }) => ({
      name,
      columns: columns.filter(({ person }) => withPeople || !person),
    }))
}

function tablesOf(stream: Stream): QueryTable[] {
  const books = stream.bookedAt === undefined ? [] : booksOf(stream)
  return [
    {
      name: stream.name,
      columns: [
        column('store_id', 'text'),
        ...declaredColumns(stream.columns),
        column('deleted_at', 'timestamp'),
        column('deleted_because', 'text'),
      ],
    },
    ...Object.entries(stream.children).map(([name, child]) => ({
      name,
      columns: [
        column('store_id', 'text'),
        column(`${stream.singular}_id`, 'text'),
        column('line_no', 'integer'),
        ...declaredColumns(child.columns),
      ],
    })),
    ...books.map(book => ({ name: viewOf(book, stream), columns: bookColumns(book) })),
  ]
}
