import { addDecimal, newDecimalTotals } from '../decimal-totals.ts'
import type { DecimalTotals } from '../decimal-totals.ts'
import { csvWriter, CSV_ROW_END } from '../formats/csv-row.ts'
import type { Book } from './book-datasets.ts'
import type { BookColumn, Cell } from './columns.ts'

/** What is made of the rows of a book while they are computed. */
export interface Rendering {
  csv: boolean
  /** For Parquet: a JSON array a row. */
  lines: boolean
}

/** Some rows of a book, in their order, ready to be written one part after the other. */
export interface RenderedRows {
  rows: number
  csv: Uint8Array<ArrayBuffer>
  lines: Uint8Array<ArrayBuffer>
  /** Of its decimal columns, in their order. */
  totals: readonly DecimalTotals[]
  /** A time that no calendar holds: somebody else changed the database. */
  broken: boolean
  /** Some text may have a NUL character, which CSV and lines are without. */
  hasNul: boolean
}

export interface BookRenderer {
  /** `json` is the array of the cells. */
  add: (cells: readonly Cell[], json: string) => void
  /** What was added since the last time. */
  take: () => RenderedRows
}

/** Where both JavaScript's and DuckDB's calendars are still whole. */
const LAST_MS = 8.64e15

export function createRenderer({ table }: Book, rendering: Rendering): BookRenderer {
  const { columns } = table
  const decimals = placesOf(columns, 'decimal')
  const times = placesOf(columns, 'timestamp')
  const writers = columns.map(({ kind }) => csvWriter(kind))
  // In each file that has decimals there is a column for those that their type does not hold.
  const end = decimals.length > 0 ? ',null]\n' : ']\n'
  const empty = () => ({ rows: 0, csv: '', lines: '', totals: decimals.map(newDecimalTotals) })
  let rendered = empty()
  let broken = false
  let hasNul = false
  return {
    add(cells, json) {
      rendered.rows++
      decimals.forEach((place, index) => addCell(rendered.totals[index]!, cells[place]))
      const isPlain = !NOT_IN_FILES.test(json)
      hasNul ||= !isPlain
      if (times.some(place => Math.abs(Number(cells[place])) > LAST_MS)) broken = true
      if (broken) return
      if (rendering.lines)
        rendered.lines += `${(isPlain ? json : lineOf(cells)).slice(0, -1)}${end}`
      if (rendering.csv) rendered.csv += csvRow(cells, writers)
    },
    take() {
      const { csv, lines, ...rest } = rendered
      rendered = empty()
      return { ...rest, csv: encode(csv), lines: encode(lines), broken, hasNul }
    },
  }
}

const encoder = new TextEncoder()
const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

const placesOf = (
  columns: readonly BookColumn<unknown>[],
  wanted: BookColumn<unknown>['kind'],
): number[] => columns.flatMap(({ kind }, place) => (kind === wanted ? [place] : []))

function addCell(totals: DecimalTotals, cell: Cell | undefined): void {
  if (typeof cell === 'string') addDecimal(totals, cell)
}

/** NUL characters and halves of surrogate pairs, as JSON writes them; or what looks like one. */
const NOT_IN_FILES = /\\u(?:0000|d)/

/** The row as SQLite gives it back: no half surrogates; and without NUL characters. */
function lineOf(cells: readonly Cell[]): string {
  return JSON.stringify(
    cells.map(cell => (typeof cell === 'string' ? cell.replaceAll('\0', '').toWellFormed() : cell)),
  )
}

type CsvWriters = readonly ReturnType<typeof csvWriter>[]

function csvRow(cells: readonly Cell[], writers: CsvWriters): string {
  const texts = cells.map((cell, index) => (cell === null ? '' : writers[index]!(cell)))
  return texts.join(',') + CSV_ROW_END
}
