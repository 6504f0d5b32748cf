import type { ColumnKind, Stream, Windowing } from '../connectors/stream.ts'

export interface DatasetColumn {
  name: string
  /** `date`: a day of the calendar, `yyyy-MM-dd`. */
  kind: ColumnKind | 'date'
  /** Tells who somebody is: empty in files unless asked for (INV-10). */
  person: boolean
  /** Of decimals: digits after the point in Parquet, the same in each file. */
  places?: number
}

/** Of money; DECIMAL(18,4). */
export const MONEY_PLACES = 4
/** Of quantities, costs for one unit and whatever the API sends; DECIMAL(18,6). */
export const FINE_PLACES = 6

/** One table of files: a stream, or a list inside its records. */
export interface Dataset {
  /** The beginning of the file's name, and of the database view's where there is no `relation`. */
  name: string
  /**
   * Where the rows are read, if they are made for the export: those of the range, numbered in their
   * order by `seq`.
   */
  relation?: string
  /** The book that it repeats, with the API's own columns beside those of the book. */
  rawOf?: string
  stream: string
  windowing: Windowing
  /** Whether a row is picked by its own cursor or follows its parent. */
  parent: { view: string; key: string } | undefined
  cursor: string
  /** Columns whose time stands in, in this order, where a record carries no cursor. */
  otherTimes: readonly string[]
  columns: readonly DatasetColumn[]
  /** The unique key, in whose order rows are written: the same rows give the same bytes. */
  order: readonly string[]
}

/** The columns that a stream or a child declares, as datasets have them. */
export function declaredColumns(columns: Stream['columns']): DatasetColumn[] {
  return Object.entries(columns).map(([name, column]) => ({
    name,
    kind: column.kind,
    person: column.privacy === 'person',
  }))
}
