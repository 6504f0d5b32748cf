/** Values of an answer's cells (`../../cells.ts`), as SQLite takes them. */
import { isAscii } from 'node:buffer'
import { unpackCells } from '../../cells.ts'
import type { CellTable, PackedRows } from '../../cells.ts'
import type { AnswerText } from '../../record.ts'
import type { ColumnKind } from '../../stream.ts'

/** A text that is not ASCII goes as its bytes: no decoder may change what is not quite UTF-8. */
export type Bound = string | number | Buffer | null

const [QUOTE, LETTER_T] = [0x22, 0x74]

/** One record of an answer, with its cells. */
export class RecordCells {
  readonly position: number
  /** Where its row stands in the cells, and the rows of its lines, by table. */
  readonly at: number
  readonly lines: readonly (readonly number[])[]
  /** Its JSON. */
  readonly json: Buffer
  readonly #cells: Int32Array
  readonly #start: number
  /** The JSON byte by byte, so that cells fit it. */
  readonly #letters: string
  readonly #isAscii: boolean
  readonly #hasEscapes: boolean

  constructor({ json, cells }: AnswerText, position: number, at: number, lines: number[][]) {
    this.position = position
    this.at = at
    this.lines = lines
    this.#cells = cells
    this.#start = cells[at]!
    this.json = Buffer.from(
      json.buffer,
      json.byteOffset + this.#start,
      cells[at + 1]! - this.#start,
    )
    this.#letters = this.json.toString('latin1')
    this.#isAscii = isAscii(this.json)
    this.#hasEscapes = this.#letters.includes('\\')
  }

  /**
   * The value at a cell, of a record that fits its declaration. Undefined where SQLite would have
   * to turn it into something else: a number for a text, a text with escapes.
   */
  valueOf(kind: ColumnKind, at: number): Bound | undefined {
    const end = this.#cells[at + 1]! - this.#start
    if (end <= 0) return null
    const from = this.#cells[at]! - this.#start
    if (kind === 'boolean') return this.#letters.charCodeAt(from) === LETTER_T ? 1 : 0
    if (kind === 'json') return this.#between(from, end)
    if (kind !== 'text') return this.#letters.slice(from, end)
    if (this.#letters.charCodeAt(from) !== QUOTE) return undefined
    const text = this.#between(from + 1, end - 1)
    return this.#hasEscapes && text.includes('\\') ? undefined : text
  }

  #between(from: number, end: number): string | Buffer {
    if (this.#isAscii) return this.#letters.slice(from, end)
    const bytes = this.json.subarray(from, end)
    return isAscii(bytes) ? this.#letters.slice(from, end) : bytes
  }
}

/** The records of an answer in their order, each with its lines. */
export function* recordsIn(
  text: AnswerText,
  tables: readonly CellTable[],
): Generator<RecordCells, void> {
  const [records, ...ofLines] = unpackCells(text.cells, tables)
  const lists = ofLines.map(rows => new LineRows(text.cells, rows))
  for (let position = 0; position < records!.rows; position++) {
    const at = records!.at + position * records!.width
    const lines = lists.map(list => list.of(position))
    yield new RecordCells(text, position, at, lines)
  }
}

/** Rows of one list of lines, which stand in the order of their records. */
class LineRows {
  readonly #cells: Int32Array
  readonly #width: number
  readonly #end: number
  #next: number

  constructor(cells: Int32Array, { at, rows, width }: PackedRows) {
    this.#cells = cells
    this.#width = width
    this.#next = at
    this.#end = at + rows * width
  }

  /** Those of a record; each record is asked for once, in order. */
  of(position: number): number[] {
    const rows: number[] = []
    for (
      ;
      this.#next < this.#end && this.#cells[this.#next] === position;
      this.#next += this.#width
    )
      rows.push(this.#next)
    return rows
  }
}
