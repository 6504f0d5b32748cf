import type { ColumnKind, Stream } from '../connectors/stream.ts'
import type { Dataset, DatasetColumn } from './dataset.ts'
import { datasetsOf } from './datasets.ts'
import { booksOf } from './sales/book-datasets.ts'
import type { BookColumn, Measure } from './sales/columns.ts'
import { viewOf } from './sales/shown-books.ts'

/** One column of the data dictionary. */
export interface DescribedColumn {
  name: string
  type: string
  unit: string
  /** Of amounts: what a minus means. */
  sign: string
  /** The API's field, or who computes it. */
  source: string
  /** Tells who somebody is: empty in files unless `--people` is given (INV-10). */
  person: boolean
}

export interface DescribedTable {
  name: string
  /**
   * `view`: in the database, as the API sent it. `books`: in the database, by the rules of the
   * books. `file`: what an export writes.
   */
  as: 'view' | 'books' | 'file'
  holds: string
  key: readonly string[]
  columns: DescribedColumn[]
}

const TYPES: Readonly<Record<ColumnKind | 'date', string>> = {
  text: 'text',
  integer: 'whole number',
  decimal: 'decimal',
  timestamp: 'instant',
  boolean: 'true or false',
  json: 'JSON text',
  date: 'day yyyy-MM-dd',
}

const SENT = 'as the API sends it'

/** Units of a view's column in the database. */
const UNITS: Partial<Record<ColumnKind | 'date', string>> = {
  timestamp: 'epoch ms, UTC',
  decimal: SENT,
}

const MEASURES: Readonly<Record<Measure, { unit: string; sign: string }>> = {
  'booked money': { unit: "the store's currency", sign: '+ sale, - refund, 0 if not booked' },
  price: { unit: "the store's currency, for one unit", sign: '' },
  'unit cost': { unit: "the store's currency, for one unit", sign: '' },
  quantity: { unit: "the product's unit", sign: '+ sale, - refund' },
}

/** A stream and its children as the database shows them. */
export function describeStream(stream: Stream): DescribedTable[] {
  const parentKey = `${stream.singular}_id`
  const described = (columns: Stream['columns'], under = ''): DescribedColumn[] =>
    Object.entries(columns).map(([name, { kind, path, privacy }]) => ({
      name,
      type: TYPES[kind],
      unit: UNITS[kind] ?? '',
      sign: kind === 'decimal' ? SENT : '',
      source: `${under}${path}`,
      person: privacy === 'person',
    }))
  return [
    {
      name: stream.name,
      as: 'view',
      holds: stream.title,
      key: ['store_id', 'id'],
      columns: [ours('store_id', 'text', 'the configuration'), ...described(stream.columns)],
    },
    ...Object.entries(stream.children).map(([name, child]): DescribedTable => ({
      name,
      as: 'view',
      holds: `the list ${child.path} of ${stream.name}`,
      key: ['store_id', parentKey, 'line_no'],
      columns: [
        ours('store_id', 'text', 'the configuration'),
        ours(parentKey, 'text', `${stream.name}.id`),
        ours('line_no', 'integer', 'place in the list, from 1'),
        ...described(child.columns, `${child.path}[].`),
      ],
    })),
  ]
}

const ours = (name: string, kind: ColumnKind, source: string): DescribedColumn => ({
  name,
  type: TYPES[kind],
  unit: '',
  sign: '',
  source,
  person: false,
})

/** A dataset as its files hold it: what the books compute, and what the API sent beside it. */
export function describeDataset(dataset: Dataset, streams: readonly Stream[]): DescribedTable {
  const stream = streams.find(({ name }) => name === dataset.stream)!
  const base = dataset.rawOf ?? dataset.name
  const sent = describeStream(stream).flatMap(table =>
    table.name === base || table.name === stream.name ? [table] : [],
  )
  const own = sent.find(({ name }) => name === base)?.columns ?? []
  const book = stream.bookedAt === undefined ? undefined : bookOf(stream, base)
  return {
    name: dataset.name,
    as: 'file',
    holds:
      book === undefined ? (sent.find(({ name }) => name === base)?.holds ?? '') : holdsOf(dataset),
    key: dataset.order,
    columns: dataset.columns.map(column => {
      const booked = book?.table.columns.find(({ name }) => name === column.name)
      const before = own.find(({ name }) => name === column.name)
      return booked === undefined ? sentColumn(column, before) : bookedColumn(booked, ISO_TIMES)
    }),
  }
}

const ISO_TIMES = 'ISO 8601, UTC'

function sentColumn(
  { name, kind, person }: DatasetColumn,
  before: DescribedColumn | undefined,
): DescribedColumn {
  const unit = kind === 'timestamp' ? ISO_TIMES : (before?.unit ?? '')
  return { ...(before ?? ours(name, 'text', '')), type: TYPES[kind], person, unit }
}

function bookedColumn(
  { name, kind, measure }: Pick<BookColumn<unknown>, 'name' | 'kind' | 'measure'>,
  times: string,
): DescribedColumn {
  const { unit, sign } = measure === undefined ? { unit: '', sign: '' } : MEASURES[measure]
  return {
    name,
    type: TYPES[kind],
    unit: kind === 'timestamp' ? times : unit,
    sign,
    source: 'the books',
    person: false,
  }
}

/** The books of a stream as the database shows them: the rows of the files. */
export function describeBookViews(stream: Stream): DescribedTable[] {
  if (stream.bookedAt === undefined) return []
  return booksOf(stream).map(book => ({
    name: viewOf(book, stream),
    as: 'books',
    holds: `the rows of ${book.name} in the files of an export`,
    key: ['store_id', 'transaction_id', ...book.table.key],
    columns: book.table.columns.map(column => bookedColumn(column, UNITS.timestamp!)),
  }))
}

const holdsOf = ({ rawOf }: Dataset): string =>
  rawOf === undefined ? 'books' : `books, with the API's own columns of ${rawOf} beside them`

const bookOf = (stream: Stream, name: string): ReturnType<typeof booksOf>[number] | undefined =>
  booksOf(stream).find(one => one.name === name)

/** Every table of this name: a view, the files of an export, or both. */
export const describeTables = (name: string, streams: readonly Stream[]): DescribedTable[] => [
  ...streams.flatMap(describeStream).filter(table => table.name === name),
  ...streams.flatMap(describeBookViews).filter(table => table.name === name),
  ...datasetsOf(streams)
    .filter(dataset => dataset.name === name)
    .map(dataset => describeDataset(dataset, streams)),
]

/** Every name that `describeTables` knows, views first. */
export const tableNames = (streams: readonly Stream[]): string[] => [
  ...new Set([
    ...streams.flatMap(describeStream).map(({ name }) => name),
    ...streams.flatMap(describeBookViews).map(({ name }) => name),
    ...datasetsOf(streams).map(({ name }) => name),
  ]),
]
