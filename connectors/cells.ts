/**
 * Where the values of declared columns stand in the text of an answer. Whoever walks through the
 * text passes each of them, and whoever stores them need not look for them again.
 *
 * Cells are numbers, two for each: where the value begins and where it ends, both 0 where there is
 * none or null. Behind those of its columns, a record has a cell for each of its lists of lines. A
 * row has two numbers in front of its cells: where the record begins and ends, or for a line, the
 * position of its record and where the line begins. The rows of the records come first, then those
 * of each list of lines; in front of all stands how many rows each has.
 */
import { hash } from 'node:crypto'
import type { Columns, Stream } from './stream.ts'

/** A table that rows of a stream go to: its own, or one of its lists'. */
export interface CellTable {
  name: string
  columns: Columns
  /** Lists of lines that its records have. */
  lists: number
}

/** The stream's own first. */
export const cellTables = ({ name, columns, children }: Stream): CellTable[] => [
  { name, columns, lists: Object.keys(children).length },
  ...Object.entries(children).map(([child, spec]) => ({
    name: child,
    columns: spec.columns,
    lists: 0,
  })),
]

/** Numbers in front of a row's cells. */
export const ROW_HEAD = 2

const widthOf = ({ columns, lists }: CellTable): number =>
  ROW_HEAD + 2 * (Object.keys(columns).length + lists)

/** So many numbers are kept from answer to answer: 8 MB. */
const MOST_KEPT = 2_000_000

/** The rows of one table, while an answer is walked. */
export class CellRows {
  readonly #width: number
  #cells: Int32Array
  /** The row that is written. */
  #row = 0
  #end = 0

  constructor(table: CellTable) {
    this.#width = widthOf(table)
    this.#cells = new Int32Array(128 * this.#width)
  }

  get rows(): number {
    return this.#end / this.#width
  }

  get cells(): Int32Array {
    return this.#cells.subarray(0, this.#end)
  }

  /** A list that came whole may have been a thousand times as long as a page. */
  clear(): void {
    this.#end = 0
    if (this.#cells.length > MOST_KEPT) this.#cells = new Int32Array(128 * this.#width)
  }

  /** Begins a row without values: of these two numbers, and no cell yet. */
  begin(first: number, second: number): void {
    this.#row = this.#end
    this.#end += this.#width
    if (this.#end > this.#cells.length) this.#grow()
    this.#cells.fill(0, this.#row, this.#end)
    this.#cells[this.#row] = first
    this.#cells[this.#row + 1] = second
  }

  /** The record of the row that is written ends here. */
  endRecord(end: number): void {
    this.#cells[this.#row + 1] = end
  }

  /** A value of the row that is written. */
  put(column: number, start: number, end: number): void {
    const at = this.#row + ROW_HEAD + 2 * column
    this.#cells[at] = start
    this.#cells[at + 1] = end
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.#end)
    larger.set(this.#cells)
    this.#cells = larger
  }
}

/** All cells of an answer in one piece. */
export function packCells(tables: readonly CellRows[]): Int32Array {
  const numbers = tables.reduce((sum, { cells }) => sum + cells.length, tables.length)
  const packed = new Int32Array(numbers)
  let at = tables.length
  tables.forEach(({ rows, cells }, index) => {
    packed[index] = rows
    packed.set(cells, at)
    at += cells.length
  })
  return packed
}

/** Where the rows of a table stand in packed cells. */
export interface PackedRows {
  /** Of the first row. */
  at: number
  rows: number
  width: number
}

export function unpackCells(packed: Int32Array, tables: readonly CellTable[]): PackedRows[] {
  let at = tables.length
  return tables.map((table, index) => {
    const [rows, width] = [packed[index]!, widthOf(table)]
    const found = { at, rows, width }
    at += rows * width
    return found
  })
}

/** Records of a stream, as an answer brings them. */

/** An answer as strict JSON, and where in it the values of columns stand: see `cells.ts`. */
export interface AnswerText {
  json: Uint8Array
  cells: Int32Array
}

/** A record that does not fit its declaration: it goes into no table, and is a dead letter. */
export interface UnfitRecord {
  /** Of the answer's list. */
  position: number
  /** Places and expected kinds, never values (INV-10). */
  reason: string
}

/**
 * A record's key among dead letters and in proofs: its id, or a hash of its JSON where it has none.
 */
export const recordKey = (id: string | undefined, raw: () => string): string =>
  id ?? `no-id:${hash('sha256', raw()).slice(0, 24)}`
