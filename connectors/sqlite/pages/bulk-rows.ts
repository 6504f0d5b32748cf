/**
 * SQLite's COPY: the records of a window as rows of a database of their own, attached beside the
 * other one as `staged`, from where a few statements for each page take them into the tables. To
 * bind values one by one takes longer than everything that SQLite does with them (decision 128).
 */
import type Database from 'better-sqlite3'
import { bytesOf, createKeyReader } from '../../answer/values.ts'
import type { KeyReader } from '../../answer/values.ts'
import { cellTables, unpackCells } from '../../cells.ts'
import type { CellTable, PackedRows } from '../../cells.ts'
import { recordKey } from '../../record.ts'
import type { AnswerText, UnfitRecord } from '../../record.ts'
import type { Stream } from '../../stream.ts'
import { withScratch } from '../connection/scratch.ts'
import { openNameless, writeWhole } from '../window/files-beside.ts'
import { databaseFileOf, emptyDatabase, rootOf } from './database-file.ts'
import type { DatabaseFile } from './database-file.ts'
import { columnsOfRow, JsonRow } from './json-row.ts'
import type { ColumnOfRow } from './json-row.ts'
import { RowValues, TablePages } from './table-pages.ts'

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
  /** The key under which an unfit record is known already. */
  letterKey?: string
}

/** Numbers of rows from one to another, both included. */
export interface RowRange {
  first: number
  last: number
}

/** Where the rows of one page stand. */
export interface BulkPage extends RowRange {
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

export interface BulkRows {
  /**
   * Has the rows of these pages until `work` has ended. Call outside of any transaction: a
   * statement sees what was there when its transaction began.
   */
  during<Result>(
    stream: Stream,
    pages: Iterable<PageOfRecords>,
    work: (pages: readonly BulkPage[]) => Result,
  ): Result
}

export function createBulkRows(database: Database.Database, streams: readonly Stream[]): BulkRows {
  let file: DatabaseFile | undefined
  return {
    during(stream, pages, work) {
      file ??= openBulkFile(database, streams)
      try {
        const filling = new Filling(file, stream)
        const filled = Array.from(pages, page => filling.add(page))
        filling.finish()
        return withScratch(database, [BULK], () => work(filled))
      } finally {
        file.empty()
      }
    },
  }
}

const BULK = 'staged'
/** Copies that another one of the same reading supersedes: `id`, `modified`, `raw`. */
export const SUPERSEDED_ROWS = `${BULK}.superseded`
/** Records that do not fit: `record_key`, `reason`, `raw`. */
export const UNFIT_ROWS = `${BULK}.unfit`
/** The stream's records are table 0, its lists of lines follow. */
export const bulkTable = (table: number): string => `${BULK}.t${table}`
/**
 * Columns as they are declared; behind them a record has its JSON, and a line the number of its
 * record and its own.
 */
export const bulkColumn = (column: number): string => `c${column}`

const LOOSE = [
  'CREATE TABLE superseded (id, modified, raw)',
  'CREATE TABLE unfit (record_key, reason, raw)',
]
/** Small: each page is read once. */
const CACHED_PAGES = 4

/** Has room for each stream. */
function openBulkFile(database: Database.Database, streams: readonly Stream[]): DatabaseFile {
  const all = streams.map(cellTables)
  const widest = Math.max(...all.flat().map(({ columns }) => Object.keys(columns).length))
  const names = Array.from({ length: widest + 2 }, (_, column) => bulkColumn(column)).join(', ')
  const tables = Array.from(
    { length: Math.max(...all.map(of => of.length)) },
    (_, table) => `CREATE TABLE t${table} (${names})`,
  )
  const empty = emptyDatabase([...LOOSE, ...tables])
  const file = openNameless(database, (path, opened) => {
    writeWhole(opened, empty, 0)
    database.prepare(`ATTACH ? AS ${BULK}`).run(path)
    database.pragma(`${BULK}.cache_size = ${CACHED_PAGES}`)
  })
  return databaseFileOf(file, empty)
}

/** Writes the rows of one window. */
class Filling {
  readonly #file: DatabaseFile
  readonly #tables: readonly CellTable[]
  readonly #keyOf: KeyReader
  readonly #superseded: LooseRows
  readonly #unfit: LooseRows
  readonly #own: RowsOfTable
  readonly #lists: readonly RowsOfTable[]
  #records = 0

  constructor(file: DatabaseFile, stream: Stream) {
    this.#file = file
    this.#tables = cellTables(stream)
    this.#keyOf = createKeyReader(stream)
    this.#superseded = new LooseRows(file, 0)
    this.#unfit = new LooseRows(file, 1)
    const tables = this.#tables.map(
      (table, at) =>
        new RowsOfTable(new TablePages(file, rootOf(LOOSE.length + at)), table, stream),
    )
    this.#own = tables[0]!
    this.#lists = tables.slice(1)
  }

  add(page: PageOfRecords): BulkPage {
    const { text, unfit, superseded, dropped = [] } = page
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
        this.#addRecord(row, filled.first + position, lines)
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
    this.#file.show()
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
  readonly #pages: TablePages
  readonly #columns: readonly ColumnOfRow[]
  readonly #values: RowValues
  readonly #cursor: ColumnOfRow

  constructor(pages: TablePages, { columns }: CellTable, stream: Stream) {
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
  readonly #pages: TablePages
  readonly #values = new RowValues(3)

  constructor(file: DatabaseFile, table: number) {
    this.#pages = new TablePages(file, rootOf(table))
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
