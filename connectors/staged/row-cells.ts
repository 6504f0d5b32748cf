import type { StoredCell } from '../destination/snapshot.ts'
import type { RowValues } from './row-values.ts'

/** A character of a string has so many bytes at most. */
const MOST_BYTES = 3

/**
 * The cells of a row as its values. Answers the buffer in which the texts of the row stand: a
 * larger one, where they need it.
 */
export function putCells(values: RowValues, cells: readonly StoredCell[], buffer: Buffer): Buffer {
  values.clear()
  let all = ''
  for (const cell of cells) if (typeof cell === 'string') all += cell
  const most = all.length * MOST_BYTES
  const texts = most > buffer.length ? Buffer.allocUnsafe(2 * most) : buffer
  const isAscii = texts.write(all) === all.length
  let at = 0
  for (const cell of cells) {
    if (cell === null) values.null()
    else if (typeof cell === 'number') values.number(cell)
    else {
      const end = at + (isAscii ? cell.length : texts.write(cell, at))
      values.text(at, end)
      at = end
    }
  }
  return texts
}
