import type { Dataset } from '../dataset.ts'
import type { Scan } from '../scan.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WrittenLines } from './written-lines.ts'

/** One file to be written: the rows of a dataset, in its order. */
export interface FileJob {
  snapshot: Snapshot
  dataset: Dataset
  scan: Scan
  path: string
  /** The file is there already: it was written while its rows were computed. */
  isWritten: boolean
  /** For Parquet: its rows, if they are written already. */
  lines: WrittenLines | undefined
  /** Told from time to time how many rows are written. */
  step: (rows: number) => void
  /** CSV only: begins with a byte order mark. */
  bom: boolean
  /** XLSX only: in which it shows times. */
  timeZone: string
}
