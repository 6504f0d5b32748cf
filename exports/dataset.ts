import type { StoredColumn, StoredTable } from '../connectors/destination/snapshot.ts'
import type { Stream } from '../connectors/stream.ts'

export interface DatasetColumn extends StoredColumn {
  /** Tells who somebody is: empty in files unless asked for (INV-10). */
  person: boolean
  /** Of decimals: digits after the point in Parquet, the same in each file. */
  places?: number
}

/** Of money; DECIMAL(18,4). */
export const MONEY_PLACES = 4
/** Of quantities, costs for one unit and whatever the API sends; DECIMAL(18,6). */
export const FINE_PLACES = 6

/**
 * One table of files: a stream, or a list inside its records. Its name is the beginning of the
 * file's.
 */
export interface Dataset extends StoredTable {
  /** The book that it repeats, with the API's own columns beside those of the book. */
  rawOf?: string
  columns: readonly DatasetColumn[]
}

/** The columns that a stream or a child declares, as datasets have them. */
export function declaredColumns(columns: Stream['columns']): DatasetColumn[] {
  return Object.entries(columns).map(([name, column]) => ({
    name,
    kind: column.kind,
    person: column.privacy === 'person',
  }))
}
