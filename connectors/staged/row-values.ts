import type { StoredCell } from '../destination/snapshot.ts'

/** The values of one row on their way into a table: of SQLite's format, which any other reads. */

/** Serial types (2.1 of sqlite.org/fileformat2.html); a text of n bytes is `TEXT + 2 * n`. */
export const [NULL, INT_32, INT_48, INT_64, REAL, FALSE, TRUE, TEXT] = [
  0, 4, 5, 6, 7, 8, 9, 13,
] as const
const MOST_INT_32 = 2 ** 31 - 1
const MOST_INT_48 = 2 ** 47 - 1

/**
 * One value or more, in the order of the columns. Texts are slices of one buffer, but for those
 * that are not spelled there as they are meant.
 */
export class RowValues {
  readonly types: Int32Array
  /** Where a text begins, or the number itself; of an own text, `~` of where it begins in `own`. */
  readonly places: Int32Array
  /** Numbers of more than 32 bits. */
  readonly numbers: Float64Array
  own = Buffer.allocUnsafe(1_024)
  #ownBytes = 0
  count = 0
  bytes = 0
  /** Bytes of what says the kinds of the values, as of the last `measure`. */
  head = 0

  constructor(most: number) {
    this.types = new Int32Array(most)
    this.places = new Int32Array(most)
    this.numbers = new Float64Array(most)
  }

  clear(): void {
    this.count = 0
    this.bytes = 0
    this.#ownBytes = 0
  }

  null(): void {
    this.types[this.count++] = NULL
  }

  boolean(value: boolean): void {
    this.types[this.count++] = value ? TRUE : FALSE
  }

  integer(value: number): void {
    this.types[this.count] = INT_32
    this.places[this.count++] = value
    this.bytes += 4
  }

  /** Any number: what is no whole one that a double holds becomes a REAL. */
  number(value: number): void {
    if (Math.abs(value) <= MOST_INT_32 && Number.isInteger(value)) return this.integer(value)
    const type = wideType(value)
    this.types[this.count] = type
    this.numbers[this.count++] = value
    this.bytes += type === INT_48 ? 6 : 8
  }

  text(start: number, end: number): void {
    this.types[this.count] = TEXT + 2 * (end - start)
    this.places[this.count++] = start
    this.bytes += end - start
  }

  /** A text that stands nowhere as it is meant. */
  ownText(text: string): void {
    const start = this.#ownBytes
    const bytes = Buffer.byteLength(text)
    if (start + bytes > this.own.length) this.own = Buffer.concat([this.own], 2 * (start + bytes))
    this.own.write(text, start)
    this.#ownBytes += bytes
    this.types[this.count] = TEXT + 2 * bytes
    this.places[this.count++] = ~start
    this.bytes += bytes
  }

  /** Answers the bytes of the row. */
  measure(): number {
    let head = 0
    for (let at = 0; at < this.count; at++) head += lengthOf(this.types[at]!)
    this.head = head + (head < 127 ? 1 : 2)
    return this.head + this.bytes
  }
}

function wideType(value: number): number {
  if (!Number.isSafeInteger(value)) return REAL
  return Math.abs(value) <= MOST_INT_48 ? INT_48 : INT_64
}

/** Numbers of seven bits a byte, all but the last with the eighth set. */
export const MOST_SHIFTED = 2 ** 28

export function lengthOf(number: number): number {
  if (number < 128) return 1
  if (number < 16_384) return 2
  if (number < 2_097_152) return 3
  if (number < MOST_SHIFTED) return 4
  let length = 5
  for (let rest = number / 2 ** 35; rest >= 1; rest /= 128) length++
  return length
}

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
