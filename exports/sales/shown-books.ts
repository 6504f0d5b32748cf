import type { ShownBook } from '../../connectors/destination/shown-books.ts'
import type { BooksShape } from '../../connectors/destination/snapshot.ts'
import type { Stream } from '../../connectors/stream.ts'
import { bookView, booksOf, extraColumns, rawName, unbooked } from './book-datasets.ts'
import type { Book } from './book-datasets.ts'

/** The view of a book in the database: `books_transactions`, `books_items`, ... */
export const viewOf = ({ name, like }: Book, { singular }: Stream): string =>
  `books_${name.replace(like === undefined ? 'item_' : `${singular}_`, '')}`

/** The books of a stream as SQL shows them. */
export const shownBooks = (stream: Stream): ShownBook[] =>
  booksOf(stream).map(book => ({
    view: viewOf(book, stream),
    computed: book.name,
    columns: book.table.columns.map(({ name, kind }) => ({ name, kind })),
  }))

/** The books of a stream as a snapshot is filled with them, and what can be read of them then. */
export const booksShape = (stream: Stream): BooksShape => ({
  stream: stream.name,
  key: `${stream.singular}_id`,
  books: booksOf(stream).map((book, at) => ({
    ...shownBooks(stream)[at]!,
    relation: bookView(book.name),
    beside: book.like && {
      relation: bookView(rawName(book.name)),
      list: book.like.view,
      by: book.like.key === 'id' ? 'id' : 'line',
      columns: extraColumns(book).map(({ name }) => name),
    },
  })),
  children: unbooked(stream).map(list => ({ list, relation: bookView(list) })),
})
