/**
 * The rows of one window as SQLite has them, in a database of their own beside the other one: from
 * there, a statement for each page takes them into the tables. To bind values one by one takes
 * longer than everything that SQLite does with them (decision 120).
 */
import type Database from 'better-sqlite3'
import { cellTables, ROW_HEAD, unpackCells } from '../../cells.ts'
import type { CellTable, PackedRows } from '../../cells.ts'
import type { AnswerText } from '../../record.ts'
import type { Stream } from '../../stream.ts'
import { withScratch } from '../connection/scratch.ts'
import { rootOf } from '../pages/database-file.ts'
import type { DatabaseFile } from '../pages/database-file.ts'
import { RowValues, TablePages } from '../pages/table-pages.ts'
import { openRowsFile, STAGED_ROWS } from './rows-file.ts'

export interface PageOfRecords {
  text: AnswerText
  /** Positions that are to be passed over. */
  skip: readonly number[]
}

/** Where the rows of one page stand: numbers from one to another, both included. */
export interface RowsOfPage {
  /** A record's number is `first` and its position. */
  first: number
  last: number
  /** Of each list of lines, in the order of its tables. */
  lines: readonly { first: number; last: number }[]
  records: number
  /** Positions that are neither there nor were passed over: no slice of a text is their value. */
  left: readonly number[]
}

export interface StagedRows {
  /**
   * Has the rows of these pages until `work` has ended. Call outside of any transaction: a
   * statement sees what was there when its transaction began.
   */
  during<Result>(
    stream: Stream,
    pages: Iterable<readonly [number: number, page: PageOfRecords]>,
    work: (rows: ReadonlyMap<number, RowsOfPage>) => Result,
  ): Result
}

export function createStagedRows(
  database: Database.Database,
  streams: readonly Stream[],
): StagedRows {
  let file: DatabaseFile | undefined
  return {
    during(stream, pages, work) {
      const rows = new Map<number, RowsOfPage>()
      let filling: Filling | undefined
      try {
        for (const [number, page] of pages) {
          file ??= openRowsFile(database, shapeOf(streams))
          filling ??= new Filling(file, stream)
          rows.set(number, filling.add(page))
        }
        filling?.finish()
        return withScratch(database, [STAGED_ROWS], () => work(rows))
      } finally {
        if (filling !== undefined) file!.empty()
      }
    },
  }
}

/** Room for each stream: its tables, and beside their columns two for what is added. */
const shapeOf = (streams: readonly Stream[]): { tables: number; columns: number } => {
  const all = streams.map(cellTables)
  const widths = all.flat().map(({ columns }) => Object.keys(columns).length)
  return { tables: Math.max(...all.map(of => of.length)), columns: Math.max(...widths) + 2 }
}

const [QUOTE, BACKSLASH, LETTER_T] = [0x22, 0x5c, 0x74]

/** Writes the rows of one window. */
class Filling {
  readonly #file: DatabaseFile
  readonly #tables: readonly CellTable[]
  readonly #own: RowsOfTable
  readonly #lists: readonly RowsOfTable[]
  #records = 0

  constructor(file: DatabaseFile, stream: Stream) {
    this.#file = file
    this.#tables = cellTables(stream)
    const tables = this.#tables.map((table, at) => new RowsOfTable(file, at, table))
    this.#own = tables[0]!
    this.#lists = tables.slice(1)
  }

  add({ text, skip }: PageOfRecords): RowsOfPage {
    const [records, ...ofLines] = unpackCells(text.cells, this.#tables)
    const page = new TextWithCells(text)
    const skipped = new Set(skip)
    const cursors = ofLines.map(rows => new LineCursor(text.cells, rows))
    const first = this.#records + 1
    const linesBefore = this.#lists.map(list => list.rows)
    const left: number[] = []
    let placed = 0
    for (let position = 0; position < records!.rows; position++) {
      const lines = cursors.map(cursor => cursor.rowsOf(position))
      if (skipped.has(position)) continue
      const at = records!.at + position * records!.width
      if (this.#place(page, first + position, at, lines)) placed++
      else left.push(position)
    }
    this.#records += records!.rows
    return {
      first,
      last: this.#records,
      lines: this.#lists.map((list, at) => ({ first: linesBefore[at]! + 1, last: list.rows })),
      records: placed,
      left,
    }
  }

  finish(): void {
    for (const table of [this.#own, ...this.#lists]) table.finish()
    this.#file.show()
  }

  #place(page: TextWithCells, number: number, at: number, lines: readonly number[][]): boolean {
    page.openRecord(at)
    if (!this.#own.hasKey(page, at) || !this.#own.fits(page, at)) return false
    if (!this.#lists.every((list, of) => lines[of]!.every(line => list.fits(page, line))))
      return false
    this.#own.addRecord(page, number, at)
    for (const [of, list] of this.#lists.entries())
      for (const [line, row] of lines[of]!.entries()) list.addLine(page, row, number, line + 1)
    return true
  }
}

/** An answer, and the record of it that is looked at. */
class TextWithCells {
  readonly json: Buffer
  readonly cells: Int32Array
  start = 0
  end = 0
  /** Whether the record has a text with escapes: what it stands for has other letters. */
  hasEscapes = false
  #nextEscape = 0

  constructor({ json, cells }: AnswerText) {
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
    this.cells = cells
  }

  openRecord(at: number): void {
    this.start = this.cells[at]!
    this.end = this.cells[at + 1]!
    if (this.#nextEscape < this.start) {
      const next = this.json.indexOf(BACKSLASH, this.start)
      this.#nextEscape = next === -1 ? this.json.length : next
    }
    this.hasEscapes = this.#nextEscape < this.end
  }
}

/** Rows of one list of lines, which stand in the order of their records. */
class LineCursor {
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
  rowsOf(position: number): number[] {
    const rows: number[] = []
    while (this.#next < this.#end && this.#cells[this.#next] === position) {
      rows.push(this.#next)
      this.#next += this.#width
    }
    return rows
  }
}

/** One table of the rows' database: values of columns, and what is added behind them. */
class RowsOfTable {
  rows = 0
  readonly #pages: TablePages
  readonly #values: RowValues
  /** For each column, where its cell stands in a row. */
  readonly #columns: readonly { at: number; isText: boolean; isTruth: boolean }[]
  readonly #texts: readonly number[]
  readonly #key: number

  constructor(file: DatabaseFile, table: number, { columns }: CellTable) {
    this.#pages = new TablePages(file, rootOf(table))
    this.#columns = Object.values(columns).map(({ kind }, index) => ({
      at: ROW_HEAD + 2 * index,
      isText: kind === 'text',
      isTruth: kind === 'boolean',
    }))
    this.#texts = this.#columns.filter(({ isText }) => isText).map(({ at }) => at)
    this.#key = ROW_HEAD + 2 * Object.keys(columns).indexOf('id')
    this.#values = new RowValues(this.#columns.length + 2)
  }

  /** An empty text, in its two quotes, is no key: other fields may stand in for it. */
  hasKey: (page: TextWithCells, row: number) => boolean = ({ cells }, row) =>
    cells[row + this.#key + 1]! - cells[row + this.#key]! > 2

  /** SQLite would turn other values into something else: a number for a text, say. */
  fits({ json, cells, hasEscapes }: TextWithCells, row: number): boolean {
    for (const at of this.#texts) {
      const [from, end] = [cells[row + at]!, cells[row + at + 1]!]
      if (end === 0) continue
      if (json[from] !== QUOTE) return false
      if (hasEscapes && json.subarray(from, end).includes(BACKSLASH)) return false
    }
    return true
  }

  addRecord(page: TextWithCells, number: number, row: number): void {
    const values = this.#valuesOf(page, row)
    values.text(page.start, page.end)
    this.#pages.add(number, values, page.json)
  }

  addLine(page: TextWithCells, row: number, record: number, line: number): void {
    const values = this.#valuesOf(page, row)
    values.integer(record)
    values.integer(line)
    this.#pages.add(++this.rows, values, page.json)
  }

  finish(): void {
    this.#pages.finish()
  }

  #valuesOf({ json, cells }: TextWithCells, row: number): RowValues {
    const values = this.#values
    values.clear()
    for (const { at, isText, isTruth } of this.#columns) {
      const [from, end] = [cells[row + at]!, cells[row + at + 1]!]
      if (end === 0) values.null()
      else if (isText) values.text(from + 1, end - 1)
      else if (isTruth) values.boolean(json[from] === LETTER_T)
      else values.text(from, end)
    }
    return values
  }
}
