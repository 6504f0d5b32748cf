import { closeSync, openSync } from 'node:fs'
import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import type { DecimalTotals } from '../../money/decimal-totals.ts'
import type { DatasetColumn } from '../dataset.ts'
import { writeWhole } from './write-whole.ts'

/**
 * A format of files: all that the program knows of it. Its name is the ending of its files; a new
 * one is an object like this, and a line in `formats.ts`.
 */
export interface Format {
  name: string
  /** Gets ready for the files of one export; the folder takes what is thrown away. */
  open(folder: string): Promise<FormatWriter>
  /**
   * The rows of a file, in its order, every cell as the text that CSV has: what was given out, not
   * what the database says today. Columns that the file does not have are left out. Memory of one
   * chunk. A sheet shows times by the clocks of `timeZone`.
   */
  rows(path: string, columns: readonly DatasetColumn[], timeZone: string): AsyncGenerator<FileRow>
  /** What `rows` gives back of a cell, where that is not `cellText`. */
  textIn?(column: DatasetColumn, timeZone: string): (cell: StoredCell) => string | null
}

export type FileRow = Record<string, string | null>

export interface FormatWriter {
  begin(file: FileToWrite): RowSink
  /** Files are whole when it resolves, those too that are written aside. */
  end(): Promise<void>
  /** Ends whatever is not finished. */
  close(): Promise<void>
}

/** Takes the rows of one file, in their order. */
export interface RowSink {
  add(cells: readonly StoredCell[]): void
  finish(): Promise<WrittenFile>
}

/** What a format says of a file that is written. */
export interface WrittenFile {
  /** Who wrote the bytes: another writer may give others for the same rows. */
  writer?: string
  /** A hash of the rows and their types that does not depend on the writer. */
  content?: string
  /** How many decimals the type of their column does not hold. */
  beyondType?: readonly { column: string; type: string; values: number }[]
}

export interface FileToWrite {
  path: string
  /** Of the dataset. */
  name: string
  columns: readonly ExportColumn[]
  /** CSV begins with a byte order mark. */
  bom: boolean
  /** In which a sheet shows times. */
  timeZone: string
  /** Reads the same rows once more, in batches. */
  rows: () => AsyncIterable<readonly (readonly StoredCell[])[]>
  /** To be called from time to time: it throws where the export is to stop. */
  step: (rows: number) => void
}

/** A column as one export writes it. */
export interface ExportColumn extends DatasetColumn {
  /** Written empty, because it tells who somebody is. */
  masked: boolean
  /** As it is declared in Parquet and in the manifest. */
  type: string
  /** Of a decimal, what went by so far, the row included that is being written. */
  totals: DecimalTotals | undefined
}

const ENOUGH = 1 << 16

/** A text file, each row made by `textOf` as it comes. */
export async function openTextFormat(
  headOf: (file: FileToWrite) => string,
  textOf: (file: FileToWrite) => (cells: readonly StoredCell[]) => string,
): Promise<FormatWriter> {
  const open = new Set<number>()
  const close = (file: number): void => {
    if (open.delete(file)) closeSync(file)
  }
  return {
    begin(file) {
      const rowText = textOf(file)
      const descriptor = openSync(file.path, 'w')
      open.add(descriptor)
      let text = headOf(file)
      return {
        add(cells) {
          text += rowText(cells)
          if (text.length < ENOUGH) return
          writeWhole(descriptor, Buffer.from(text))
          text = ''
        },
        async finish() {
          writeWhole(descriptor, Buffer.from(text))
          close(descriptor)
          return {}
        },
      }
    },
    async end() {},
    async close() {
      for (const file of open) close(file)
    },
  }
}
