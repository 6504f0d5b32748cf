import { addDecimal, newDecimalTotals } from '../decimal-totals.ts'
import type { DecimalTotals } from '../decimal-totals.ts'
import { ByteText } from '../formats/byte-text.ts'
import type { Book } from './book-datasets.ts'
import type { BookColumn, Cell } from './columns.ts'
import { csvPutter, putCsvRow } from './row-text.ts'

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
  /** `row` is where the JSON array of the cells stands; `fits`: files hold all of its texts. */
  add: (cells: readonly Cell[], row: WrittenRow) => void
  /** What was added since the last time; its bytes stand until something else is added. */
  take: () => RenderedRows
  /** What bytes are written to, in the order of `RenderedRows`. */
  texts: readonly ByteText[]
}

/** A row that was just written as JSON. */
export interface WrittenRow {
  text: ByteText
  start: number
  fits: boolean
}

/** Where both JavaScript's and DuckDB's calendars are still whole. */
const LAST_MS = 8.64e15

export function createRenderer({ table }: Book, rendering: Rendering): BookRenderer {
  const { columns } = table
  const decimals = placesOf(columns, 'decimal')
  const times = placesOf(columns, 'timestamp')
  const putters = columns.map(({ kind }) => csvPutter(kind))
  // In each file that has decimals there is a column for those that their type does not hold.
  const end = decimals.length > 0 ? ',null]\n' : ']\n'
  const csv = new ByteText()
  const lines = new ByteText()
  const empty = () => ({ rows: 0, totals: decimals.map(newDecimalTotals) })
  let rendered = empty()
  let broken = false
  let hasNul = false
  return {
    add(cells, { text, start, fits }) {
      rendered.rows++
      decimals.forEach((place, index) => addCell(rendered.totals[index]!, cells[place]))
      hasNul ||= !fits
      if (times.some(place => Math.abs(Number(cells[place])) > LAST_MS)) broken = true
      if (broken) return
      if (rendering.lines) {
        if (fits) lines.putFrom(text, start, text.length - 1)
        else lines.put(lineOf(cells).slice(0, -1))
        lines.put(end)
      }
      if (rendering.csv) putCsvRow(csv, cells, putters)
    },
    take() {
      const taken = { ...rendered, csv: csv.take(), lines: lines.take(), broken, hasNul }
      rendered = empty()
      return taken
    },
    texts: [csv, lines],
  }
}

const placesOf = (
  columns: readonly BookColumn<unknown>[],
  wanted: BookColumn<unknown>['kind'],
): number[] => columns.flatMap(({ kind }, place) => (kind === wanted ? [place] : []))

function addCell(totals: DecimalTotals, cell: Cell | undefined): void {
  if (typeof cell === 'string') addDecimal(totals, cell)
}

/** The row as SQLite gives it back: no half surrogates; and without NUL characters. */
function lineOf(cells: readonly Cell[]): string {
  return JSON.stringify(
    cells.map(cell => (typeof cell === 'string' ? cell.replaceAll('\0', '').toWellFormed() : cell)),
  )
}
