/** The values of a record that fits its declaration, out of the text of its answer. */
import {
  bytesOf,
  cellOf,
  createKeyReader,
  hasEscapes,
  numberOf,
  spelledIn,
  wholeNumber,
} from '../answer/values.ts'
import type { KeyReader } from '../answer/values.ts'
import { cellTables, unpackCells } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { ColumnKind, Columns, Stream } from '../stream.ts'
import type { RowValues } from './row-values.ts'

/** A column of a row. */
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

/** The records of an answer that have a key, in its order. */
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
    return id === undefined ? [] : [{ id, modified: row.timeOf(cursor), raw: row.raw }]
  }).flat()
}
