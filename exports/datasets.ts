import { columnName } from '../connectors/stream.ts'
import type { ColumnKind, Stream } from '../connectors/stream.ts'
import { UsageError } from '../errors.ts'
import { declaredColumns } from './dataset.ts'
import type { Dataset, DatasetColumn } from './dataset.ts'
import { bookDatasets } from './sales/book-datasets.ts'

/**
 * Every dataset there is: one for each stream and one for each of its child tables, derived from
 * the declaration; of a stream that is booked, the books.
 */
export function datasetsOf(streams: readonly Stream[]): Dataset[] {
  return streams.flatMap(stream => {
    const shared = {
      stream: stream.name,
      windowing: stream.windowing,
      cursor: stream.cursor,
      otherTimes: stream.eventTimes
        .filter(path => path !== stream.cursor)
        .map(columnName)
        .filter(name => name in stream.columns),
    }
    if (stream.bookedAt !== undefined) return bookDatasets(stream, shared)
    const parentKey = `${stream.singular}_id`
    const children = Object.entries(stream.children).map(([name, child]): Dataset => ({
      ...shared,
      name,
      parent: { view: stream.name, key: parentKey },
      columns: [
        key('store_id', 'text'),
        key(parentKey, 'text'),
        key('line_no', 'integer'),
        ...declaredColumns(child.columns),
      ],
      order: ['store_id', parentKey, 'line_no'],
    }))
    return [
      {
        ...shared,
        name: stream.name,
        parent: undefined,
        columns: [key('store_id', 'text'), ...declaredColumns(stream.columns)],
        order: ['store_id', 'id'],
      },
      ...children,
    ]
  })
}

/**
 * The same names with the API's own columns beside those of the books, where there is such a
 * dataset.
 */
export function withRawColumns(all: readonly Dataset[], names: readonly string[]): string[] {
  return names.map(name => all.find(({ rawOf }) => rawOf === name)?.name ?? name)
}

function key(name: string, kind: ColumnKind): DatasetColumn {
  return { name, kind, person: false }
}

/** The datasets of these names, in the order of the declaration. */
export function pickDatasets(all: readonly Dataset[], names: readonly string[]): Dataset[] {
  const unknown = names.filter(name => !all.some(dataset => dataset.name === name))
  if (unknown.length > 0)
    throw new UsageError(
      `there is no dataset ${unknown.join(', ')}`,
      `use one of: ${all.map(dataset => dataset.name).join(', ')}`,
    )
  if (names.length === 0)
    throw new UsageError(
      'no dataset was asked for',
      `use one of: ${all.map(dataset => dataset.name).join(', ')}`,
    )
  return all.filter(dataset => names.includes(dataset.name))
}
