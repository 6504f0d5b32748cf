/** The values of one row on their way into a table: of SQLite's format, which any other reads. */
import {
  bytesOf,
  cellOf,
  cellTables,
  createKeyReader,
  hasEscapes,
  numberOf,
  spelledIn,
  unpackCells,
  wholeNumber,
} from '../cells.ts'
import type { AnswerText, KeyReader } from '../cells.ts'
import type { StoredCell } from '../destination/snapshot.ts'
import type { ColumnKind, Columns, Stream } from '../stream.ts'

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

/** A column of a row, of a record that fits its declaration. */
export interface ColumnOfRow {
  /** Where its cell stands in the row. */
  at: number
  kind: ColumnKind | 'key'
  keyOf: KeyReader
}

/** The id of a record is its key, by whatever fields. */
export function columnsOfRow(columns: Columns, stream: Stream): ColumnOfRow[] {
  const keyOf = createKeyReader(stream)
  return Object.entries(columns).map(([name, { kind }], index) => ({
    at: cellOf(index),
    kind: columns === stream.columns && name === 'id' ? 'key' : kind,
    keyOf,
  }))
}

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39]
const [LETTER_T, LETTER_F] = [0x74, 0x66]
/** A whole number of no more characters is exact as a double. */
const MOST_DIGITS = 15

/** An answer, and the record of it that is looked at. */
export class JsonRow {
  readonly json: Buffer
  readonly cells: Int32Array
  /** Where its row begins among the cells, and its JSON in the text. */
  at = 0
  start = 0
  end = 0
  /** Whether the record has a text with escapes: what it stands for has other letters. */
  #hasEscapes = false
  #nextEscape = 0

  constructor(json: Buffer, cells: Int32Array) {
    this.json = json
    this.cells = cells
  }

  open(row: number): void {
    this.at = row
    this.start = this.cells[row]!
    this.end = this.cells[row + 1]!
    if (this.#nextEscape < this.start) {
      const next = this.json.indexOf(BACKSLASH, this.start)
      this.#nextEscape = next === -1 ? this.json.length : next
    }
    this.#hasEscapes = this.#nextEscape < this.end
  }

  get raw(): string {
    return this.json.toString('utf8', this.start, this.end)
  }

  /** The values of a row: the record's own, or that of a line. */
  putInto(values: RowValues, row: number, columns: readonly ColumnOfRow[]): void {
    const { cells } = this
    values.clear()
    for (const { at, kind, keyOf } of columns) {
      const [start, end] = [cells[row + at]!, cells[row + at + 1]!]
      if (kind === 'key') this.#putKey(values, start, end, keyOf)
      else if (end === 0) values.null()
      else this.#put(values, kind, start, end)
    }
  }

  /** The time in a column of the record; null where none is. */
  timeOf({ at }: ColumnOfRow): number | null {
    const [start, end] = [this.cells[this.at + at]!, this.cells[this.at + at + 1]!]
    const time = end === 0 ? undefined : numberOf(spelledIn(this.json, start, end))
    return time !== undefined && Number.isSafeInteger(time) ? time : null
  }

  #put(values: RowValues, kind: ColumnKind, start: number, end: number): void {
    if (kind === 'text') this.#putText(values, start, end)
    else if (kind === 'json') values.text(start, end)
    else if (kind === 'decimal') putDecimal(values, this.json[start]!, start, end)
    else if (kind === 'boolean') this.#putTruth(values, start, end)
    else this.#putWhole(values, start, end)
  }

  #putText(values: RowValues, start: number, end: number): void {
    if (this.json[start] !== QUOTE) values.text(start, end)
    else if (this.#hasEscapes && hasEscapes(this.json, start, end))
      values.ownText(spelledIn(this.json, start, end))
    else values.text(start + 1, end - 1)
  }

  /** An empty text, in its two quotes, is no key: other fields may stand in for it. */
  #putKey(values: RowValues, start: number, end: number, keyOf: KeyReader): void {
    if (end - start > 2 || (end > start && this.json[start] !== QUOTE))
      this.#putText(values, start, end)
    else values.ownText(keyOf(this.json, this.cells, this.at)!)
  }

  #putTruth(values: RowValues, start: number, end: number): void {
    const byte = this.json[start]
    if (byte === LETTER_T || byte === LETTER_F) values.boolean(byte === LETTER_T)
    else values.boolean(Number(spelledIn(this.json, start, end)) === 1)
  }

  #putWhole(values: RowValues, start: number, end: number): void {
    const { json } = this
    const isNegative = json[start] === MINUS
    let at = isNegative ? start + 1 : start
    let number = 0
    for (; at < end && json[at]! >= ZERO && json[at]! <= NINE; at++)
      number = 10 * number + json[at]! - ZERO
    if (at === end && end - start <= MOST_DIGITS) values.number(isNegative ? -number : number)
    else putOddWhole(values, spelledIn(json, start, end))
  }
}

function putDecimal(values: RowValues, first: number, start: number, end: number): void {
  if (first === QUOTE) values.text(start + 1, end - 1)
  else values.text(start, end)
}

/** Beyond what a double holds, a database makes an integer of its digits. */
function putOddWhole(values: RowValues, spelled: string): void {
  const number = Number(spelled)
  if (Number.isSafeInteger(number)) values.number(number)
  else values.ownText(String(wholeNumber(spelled) ?? spelled))
}

/** A record by its key, and when it was changed last, epoch milliseconds. */
export interface KeyedRecord {
  id: string
  modified: number | null
  raw: string
}

/** The records of an answer that have a key, in its order; its letters are whole ones. */
export function keyedRecords(stream: Stream, text: AnswerText): KeyedRecord[] {
  const keyOf = createKeyReader(stream)
  const cursor = columnsOfRow(stream.columns, stream)[
    Object.keys(stream.columns).indexOf(stream.cursor)
  ]!
  const [records] = unpackCells(text.cells, cellTables(stream))
  const row = new JsonRow(bytesOf(text), text.cells)
  return Array.from({ length: records!.rows }, (_, position) => {
    row.open(records!.at + position * records!.width)
    const id = keyOf(row.json, row.cells, row.at)
    return id === undefined
      ? []
      : [{ id: id.toWellFormed(), modified: row.timeOf(cursor), raw: row.raw }]
  }).flat()
}
