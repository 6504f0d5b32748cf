import { columnName, type ColumnKind, type Stream, type WindowFamily } from '../connectors/stream.ts'
import { UsageError } from '../errors.ts'

export interface DatasetColumn {
  name: string
  kind: ColumnKind
  /** Tells who somebody is: empty in files unless asked for (INV-10). */
  person: boolean
}

/** One table of files: a stream, or a list inside its records. */
export interface Dataset {
  /** Also the name of the database view and the beginning of the file's name. */
  name: string
  stream: string
  window: WindowFamily
  /** Whether a row is picked by its own cursor or follows its parent. */
  parent: { view: string; key: string } | undefined
  cursor: string
  /** Columns whose time stands in, in this order, where a record carries no cursor. */
  otherTimes: readonly string[]
  columns: readonly DatasetColumn[]
  /** The unique key, in whose order rows are written: the same rows give the same bytes. */
  order: readonly string[]
}

/** Every dataset there is: one for each stream and one for each of its child tables, derived from the declaration. */
export function datasetsOf(streams: readonly Stream[]): Dataset[] {
  return streams.flatMap((stream) => {
    const shared = { stream: stream.name, window: stream.window, cursor: stream.cursor, otherTimes: stream.eventTimes.filter((path) => path !== stream.cursor).map(columnName).filter((name) => name in stream.columns) }
    const parentKey = `${stream.singular}_id`
    const children = Object.entries(stream.children).map(([name, child]): Dataset => ({
      ...shared,
      name,
      parent: { view: stream.name, key: parentKey },
      columns: [key('store_id', 'text'), key(parentKey, 'text'), key('line_no', 'integer'), ...declared(child.columns)],
      order: ['store_id', parentKey, 'line_no'],
    }))
    return [{ ...shared, name: stream.name, parent: undefined, columns: [key('store_id', 'text'), ...declared(stream.columns)], order: ['store_id', 'id'] }, ...children]
  })
}

function key(name: string, kind: ColumnKind): DatasetColumn {
  return { name, kind, person: false }
}

function declared(columns: Stream['columns']): DatasetColumn[] {
  return Object.entries(columns).map(([name, column]) => ({ name, kind: column.kind, person: column.privacy === 'person' }))
}

/** The datasets of these names, in the order of the declaration. */
export function pickDatasets(all: readonly Dataset[], names: readonly string[]): Dataset[] {
  const unknown = names.filter((name) => !all.some((dataset) => dataset.name === name))
  if (unknown.length > 0) throw new UsageError(`there is no dataset ${unknown.join(', ')}`, `use one of: ${all.map((dataset) => dataset.name).join(', ')}`)
  if (names.length === 0) throw new UsageError('no dataset was asked for', `use one of: ${all.map((dataset) => dataset.name).join(', ')}`)
  return all.filter((dataset) => names.includes(dataset.name))
}
