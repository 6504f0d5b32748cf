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
import { sha256Of } from '../sha256.ts'
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
  id ?? `no-id:${sha256Of(raw()).slice(0, 24)}`

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** The bytes of an answer, to be read as text. */
export const bytesOf = ({ json }: AnswerText): Buffer =>
  Buffer.from(json.buffer, json.byteOffset, json.byteLength)

/** Where the cell of a column stands in a row: by its number among the columns. */
export const cellOf = (column: number): number => ROW_HEAD + 2 * column

/** A text without its quotes and escapes; any other value as JSON spells it. */
export function spelledIn(json: Buffer, start: number, end: number): string {
  if (json[start] !== QUOTE) return json.toString('utf8', start, end)
  return hasEscapes(json, start, end)
    ? (JSON.parse(json.toString('utf8', start, end)) as string)
    : json.toString('utf8', start + 1, end - 1)
}

export const hasEscapes = (json: Buffer, start: number, end: number): boolean =>
  json.subarray(start, end).includes(BACKSLASH)

/** As SQLite, and most databases, take a text for a number. */
const NUMBER = /^[\t-\r ]*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[\t-\r ]*$/
const [LEAST_INTEGER, MOST_INTEGER] = [-(2n ** 63n), 2n ** 63n - 1n]
/** Of decimals that are moved to find out whether something is a whole number. */
const MOST_MOVED = 400n

/** A number out of its spelling, as JSON or in a text; undefined where it is none. */
export const numberOf = (spelled: string): number | undefined =>
  NUMBER.test(spelled) ? Number(spelled) : undefined

const DIGITS = /^[-+]?\d+$/

/**
 * Whether a spelling is that of a whole number of 64 bits: also `2.0`, `1e3` and ` 7`. One of which
 * a database that goes through a double would lose a digit is none (INV-6).
 */
export function isWholeNumber(spelled: string): boolean {
  const number = numberOf(spelled)
  if (number === undefined || !Number.isInteger(number)) return false
  if (Number.isSafeInteger(number)) return true
  const exact = wholeNumber(spelled)
  return exact !== undefined && (DIGITS.test(spelled.trim()) || exact === BigInt(number))
}

/** Its digits, also of `1.0E16`; undefined where it has another value, or more than 64 bits. */
export function wholeNumber(spelled: string): bigint | undefined {
  if (numberOf(spelled) === undefined) return undefined
  const [mantissa, exponent = '0'] = spelled.trim().toLowerCase().split('e') as [string, string?]
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?]
  const exact = moved(BigInt(whole + fraction), BigInt(exponent) - BigInt(fraction.length))
  const isHeld = exact !== undefined && exact >= LEAST_INTEGER && exact <= MOST_INTEGER
  return isHeld ? exact : undefined
}

/** With so many zeros more, or fewer; undefined where it has not so many. */
function moved(number: bigint, zeros: bigint): bigint | undefined {
  if (number === 0n) return 0n
  if (zeros > MOST_MOVED || zeros < -MOST_MOVED) return undefined
  if (zeros >= 0n) return number * 10n ** zeros
  const divisor = 10n ** -zeros
  return number % divisor === 0n ? number / divisor : undefined
}

/** The key of the record whose row begins there; undefined where it has none. */
export type KeyReader = (json: Buffer, cells: Int32Array, row: number) => string | undefined

const WHOLE = /^-?\d+$/

/**
 * A record's key is its id: a text that is not empty, or a whole number with each of its digits.
 * Without one, the fields that stand in for an id are the key, unless all of them are empty.
 */
export function createKeyReader(stream: Stream): KeyReader {
  const columns = Object.entries(stream.columns)
  const id = cellOf(columns.findIndex(([name]) => name === 'id'))
  const parts = stream.key?.map(path => {
    const column = columns.findIndex(([, one]) => one.path === path)
    if (column === -1) throw new Error(`stream ${stream.name}: key ${path} is no column`)
    return cellOf(column)
  })
  const partIn = (json: Buffer, start: number, end: number): string =>
    end === 0 ? '' : spelledIn(json, start, end)
  return (json, cells, row) => {
    const start = cells[row + id]!
    const spelled = partIn(json, start, cells[row + id + 1]!)
    if (spelled !== '' && (json[start] === QUOTE || WHOLE.test(spelled))) return spelled
    const others = parts?.map(at => partIn(json, cells[row + at]!, cells[row + at + 1]!))
    return others?.some(part => part !== '') ? others.join('/') : undefined
  }
}

/**
 * Gives the memory of a large buffer back at once. V8 collects garbage, of everything, for each 64
 * MB of buffers that nobody uses any more, and an answer of the API is a third of one. Nobody may
 * use the buffer afterwards: it is empty. One that shares its memory with others stays.
 */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  const isWhole = byteLength === buffer.byteLength
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
