import type { Stream } from '../../connectors/stream.ts'
import { declaredColumns } from '../dataset.ts'
import type { Dataset, DatasetColumn } from '../dataset.ts'
import { PLACES_OF } from './columns.ts'
import type { BookTable } from './columns.ts'
import { itemTable, lotTable } from './line-tables.ts'
import { paymentTable, taxTable } from './settlement-tables.ts'
import { transactionTable } from './transaction-table.ts'

/**
 * A table of the books and what it is called. Two of them take the place of what the stream itself
 * would give.
 */
export interface Book {
  name: string
  table: BookTable<unknown>
  /** The stream whose own columns follow those of the books, as the API sent them. */
  like: { view: string; key: 'id' | 'transaction_id'; columns: Stream['columns'] } | undefined
}

const table = <Row>(one: BookTable<Row>): BookTable<unknown> => one as BookTable<unknown>

/** The five books of a stream of transactions, in the order in which they are written. */
export function booksOf(stream: Stream): Book[] {
  const [items] = Object.entries(stream.children)
  return [
    {
      name: stream.name,
      table: table(transactionTable),
      like: { view: stream.name, key: 'id', columns: stream.columns },
    },
    {
      name: items?.[0] ?? 'items',
      table: table(itemTable),
      like:
        items === undefined
          ? undefined
          : { view: items[0], key: 'transaction_id', columns: items[1].columns },
    },
    { name: 'item_lots', table: table(lotTable), like: undefined },
    { name: 'payments', table: table(paymentTable), like: undefined },
    { name: 'taxes', table: table(taxTable), like: undefined },
  ]
}

/** Under which rows of the books are read. */
export const bookView = (name: string): string => `book_${name}`

/** A book with the API's own columns beside its own. */
export const rawName = (name: string): string => `raw_${name}`

/**
 * The books as datasets, those that have columns of the API also with these; the children that no
 * book replaces stay as they are, for the same transactions.
 */
export function bookDatasets(
  stream: Stream,
  shared: Pick<Dataset, 'stream' | 'windowing' | 'cursor' | 'otherTimes'>,
): Dataset[] {
  const books = booksOf(stream)
  const key = `${stream.singular}_id`
  const book = books.flatMap((one, index): Dataset[] => {
    const plain: Dataset = {
      ...shared,
      name: one.name,
      relation: bookView(one.name),
      parent: index === 0 ? undefined : { view: stream.name, key },
      columns: bookColumns(one),
      order: ['store_id', ...(index === 0 ? ['id'] : [key]), ...one.table.key],
    }
    if (one.like === undefined) return [plain]
    const name = rawName(one.name)
    const columns = [...plain.columns, ...extraColumns(one)]
    return [plain, { ...plain, name, relation: bookView(name), columns, rawOf: one.name }]
  })
  return [
    ...book,
    ...unbooked(stream).map((name): Dataset => ({
      ...shared,
      name,
      relation: bookView(name),
      parent: { view: stream.name, key },
      columns: [
        { name: 'store_id', kind: 'text', person: false },
        { name: key, kind: 'text', person: false },
        { name: 'line_no', kind: 'integer', person: false },
        ...declaredColumns(stream.children[name]!.columns),
      ],
      order: ['store_id', key, 'line_no'],
    })),
  ]
}

/** The lists inside the records that no book replaces. */
export const unbooked = (stream: Stream): string[] =>
  Object.keys(stream.children).filter(name => !booksOf(stream).some(book => book.name === name))

export function bookColumns({ table: { columns } }: Book): DatasetColumn[] {
  return columns.map(({ name, kind, measure }) => ({
    name,
    kind,
    person: false,
    ...(measure === undefined ? {} : { places: PLACES_OF[measure] }),
  }))
}

/** The stream's columns whose names the books do not use themselves. */
export function extraColumns(book: Book): DatasetColumn[] {
  return book.like === undefined
    ? []
    : declaredColumns(book.like.columns).filter(
        ({ name }) => !book.table.columns.some(own => own.name === name),
      )
}
