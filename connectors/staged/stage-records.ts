/** Records of a window, row by row, into the tables where they wait for their merge. */
import { bytesOf, cellTables, createKeyReader, recordKey, unpackCells } from '../cells.ts'
import type { AnswerText, CellTable, KeyReader, PackedRows, UnfitRecord } from '../cells.ts'
import type { Stream } from '../stream.ts'
import { JsonRow, RowValues, columnsOfRow } from './row-values.ts'
import type { ColumnOfRow } from './row-values.ts'

/** A page of records, and which of them do not go into the stream's tables. */
export interface PageOfRecords {
  text: AnswerText
  /** Records in all, by the reader's count. */
  rows: number
  unfit: readonly UnfitRecord[]
  /** Positions of which another copy in this reading counts instead. */
  superseded: readonly number[]
  /** Positions of records that are kept nowhere. */
  dropped?: readonly number[]
  /** Under which number each record is staged; otherwise they are numbered in their order. */
  numbers?: readonly number[]
  /** The key under which an unfit record is known already. */
  letterKey?: string
}

/** Numbers of rows from one to another, both included. */
export interface RowRange {
  first: number
  last: number
}

/** Where the rows of one page stand. */
export interface PageRows extends RowRange {
  /** Of each list of lines, in the order of its tables. */
  lines: readonly RowRange[]
  /** Records that are there. */
  records: number
  unfit: number
  /** Records that are there by another copy, or not at all. */
  duplicate: number
  /** Records in all, by the reader's count. */
  rows: number
}

/** A table that takes rows in the order of their numbers. */
export interface TableOfRows {
  /** Texts are slices of this one. */
  add(rowid: number, values: RowValues, text: Buffer): void
  finish(): void
}

/**
 * By one of the names below: of tables in a database of their own on SQLite, of temporary ones on
 * PostgreSQL, where they stand in the search path before all others.
 */
export type OpenTable = (name: string) => TableOfRows

/** Copies that another one of the same reading supersedes: `id`, `modified`, `raw`. */
export const SUPERSEDED_ROWS = 'staged_superseded'
/** Records that do not fit, numbered by `rowid`: `record_key`, `reason`, `raw`. */
export const UNFIT_ROWS = 'staged_unfit'
/** The records are table 0, numbered by `rowid`; the stream's lists of lines follow. */
export const stagedTable = (table: number): string => `staged_${table}`
/**
 * Columns as they are declared; behind them a record has its JSON, and a line the number of its
 * record and its own.
 */
export const stagedColumn = (column: number): string => `c${column}`

/** Writes the rows of one window. */
export class Staging {
  readonly #tables: readonly CellTable[]
  readonly #keyOf: KeyReader
  readonly #superseded: LooseRows
  readonly #unfit: LooseRows
  readonly #own: RowsOfTable
  readonly #lists: readonly RowsOfTable[]
  #records = 0

  constructor(open: OpenTable, stream: Stream) {
    this.#tables = cellTables(stream)
    this.#keyOf = createKeyReader(stream)
    this.#superseded = new LooseRows(open(SUPERSEDED_ROWS))
    this.#unfit = new LooseRows(open(UNFIT_ROWS))
    const tables = this.#tables.map(
      (table, at) => new RowsOfTable(open(stagedTable(at)), table, stream),
    )
    this.#own = tables[0]!
    this.#lists = tables.slice(1)
  }

  add(page: PageOfRecords): PageRows {
    const { text, unfit, superseded, dropped = [], numbers } = page
    const [records, ...ofLines] = unpackCells(text.cells, this.#tables)
    const row = new JsonRow(bytesOf(text), text.cells)
    const others = new Set([...superseded, ...dropped])
    const refused = new Map(unfit.map(({ position, reason }) => [position, reason]))
    const cursors = ofLines.map(rows => new LineCursor(text.cells, rows))
    const before = this.#lists.map(list => list.rows)
    const filled = { first: this.#records + 1, records: 0, unfit: 0 }
    for (let position = 0; position < records!.rows; position++) {
      const lines = cursors.map(cursor => cursor.rowsOf(position))
      row.open(records!.at + position * records!.width)
      const reason = refused.get(position)
      if (others.has(position)) continue
      if (reason === undefined) {
        this.#addRecord(row, numbers?.[position] ?? filled.first + position, lines)
        filled.records++
      } else {
        this.#addUnfit(row, reason, page.letterKey)
        filled.unfit++
      }
    }
    for (const position of superseded)
      this.#addSuperseded(row, records!.at + position * records!.width)
    this.#records += records!.rows
    return {
      ...filled,
      last: this.#records,
      lines: this.#lists.map((list, at) => ({ first: before[at]! + 1, last: list.rows })),
      duplicate: others.size,
      rows: page.rows,
    }
  }

  finish(): void {
    for (const table of [this.#superseded, this.#unfit, this.#own, ...this.#lists]) table.finish()
  }

  #addRecord(row: JsonRow, number: number, lines: readonly number[][]): void {
    this.#own.addRecord(row, number)
    for (const [of, list] of this.#lists.entries())
      for (const [line, at] of lines[of]!.entries()) list.addLine(row, at, number, line + 1)
  }

  #addUnfit(row: JsonRow, reason: string, known: string | undefined): void {
    const key = known ?? recordKey(this.#keyOf(row.json, row.cells, row.at), () => row.raw)
    this.#unfit.add(row, [key, reason])
  }

  /** A copy without a key is none. */
  #addSuperseded(row: JsonRow, at: number): void {
    row.open(at)
    const key = this.#keyOf(row.json, row.cells, row.at)
    if (key !== undefined) this.#superseded.add(row, [key, this.#own.cursorOf(row)])
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

/** A table of the stream: the values of its columns, and what is added behind them. */
class RowsOfTable {
  rows = 0
  readonly #pages: TableOfRows
  readonly #columns: readonly ColumnOfRow[]
  readonly #values: RowValues
  readonly #cursor: ColumnOfRow

  constructor(pages: TableOfRows, { columns }: CellTable, stream: Stream) {
    this.#pages = pages
    this.#columns = columnsOfRow(columns, stream)
    this.#values = new RowValues(this.#columns.length + 2)
    this.#cursor = this.#columns[Object.keys(columns).indexOf(stream.cursor)]!
  }

  addRecord(row: JsonRow, number: number): void {
    this.rows++
    row.putInto(this.#values, row.at, this.#columns)
    this.#values.text(row.start, row.end)
    this.#pages.add(number, this.#values, row.json)
  }

  addLine(row: JsonRow, at: number, record: number, line: number): void {
    row.putInto(this.#values, at, this.#columns)
    this.#values.integer(record)
    this.#values.integer(line)
    this.#pages.add(++this.rows, this.#values, row.json)
  }

  /** When a record was changed last, of a copy that may not fit. */
  cursorOf: (row: JsonRow) => number | null = row => row.timeOf(this.#cursor)

  finish(): void {
    if (this.rows > 0) this.#pages.finish()
  }
}

/** Rows of two values and the JSON of a record. */
class LooseRows {
  #rows = 0
  readonly #pages: TableOfRows
  readonly #values = new RowValues(3)

  constructor(pages: TableOfRows) {
    this.#pages = pages
  }

  add(row: JsonRow, values: readonly (string | number | null)[]): void {
    this.#values.clear()
    for (const value of values)
      if (value === null) this.#values.null()
      else if (typeof value === 'number') this.#values.number(value)
      else this.#values.ownText(value)
    this.#values.text(row.start, row.end)
    this.#pages.add(++this.#rows, this.#values, row.json)
  }

  finish(): void {
    if (this.#rows > 0) this.#pages.finish()
  }
}
