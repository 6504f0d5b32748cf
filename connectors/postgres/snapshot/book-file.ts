/** The computed rows of a book, in a file on this machine until what asked for them ends. */
import { closeSync, openSync } from 'node:fs'
import type { ShownBook } from '../../destination/shown-books.ts'
import type { StoredCell, StoredColumn } from '../../destination/snapshot.ts'
import { readWhole, writeWhole } from '../../staged/files-beside.ts'
import { RowValues, putCells } from '../../staged/row-values.ts'
import { writtenKinds } from '../tables/book-tables.ts'
import { CopyRows, readRows } from '../window/copy-rows.ts'

export interface BookFile {
  add(rows: readonly (readonly StoredCell[])[]): void
  /** All rows are there. */
  finish(): void
  /** The rows as COPY takes them, some at a time. */
  copies(): Generator<Buffer>
  /** The rows themselves; of a column that is undefined nothing is told. */
  rows(columns: readonly (StoredColumn | undefined)[]): Generator<StoredCell[][]>
  close(): void
}

/** So much is written at once, and sent in one statement. */
const BYTES_AT_ONCE = 1 << 22

export function openBookFile(path: string, book: ShownBook): BookFile {
  const file = openSync(path, 'wx+', 0o600)
  const kinds = writtenKinds(book)
  const waiting = new CopyRows(kinds)
  const values = new RowValues(kinds.length)
  const lengths: number[] = []
  let texts: Buffer = Buffer.allocUnsafe(1 << 16)
  let end = 0
  const write = (): void => {
    const bytes = waiting.take()
    writeWhole(file, bytes, end)
    lengths.push(bytes.length)
    end += bytes.length
  }
  function* copies(): Generator<Buffer> {
    let at = 0
    for (const length of lengths) {
      const bytes = Buffer.allocUnsafe(length)
      readWhole(file, bytes, at)
      yield bytes
      at += length
    }
  }
  return {
    add(rows) {
      for (const cells of rows) {
        texts = putCells(values, cells, texts)
        waiting.add(undefined, values, texts)
      }
      if (waiting.bytes > BYTES_AT_ONCE) write()
    },
    finish: write,
    copies,
    *rows(columns) {
      const places = columns.map(column =>
        book.columns.findIndex(({ name }) => name === column?.name),
      )
      for (const copy of copies())
        for (const rows of readRows(copy, kinds))
          yield rows.map(row => places.map(place => row[place] ?? null))
    },
    close: () => closeSync(file),
  }
}
