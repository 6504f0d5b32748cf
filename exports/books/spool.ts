import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { addTotals, newDecimalTotals } from '../decimal-totals.ts'
import type { DecimalTotals } from '../decimal-totals.ts'
import { BYTE_ORDER_MARK, csvHeader } from '../formats/csv-row.ts'
import { openLines } from '../formats/lines-file.ts'
import type { LinesFile } from '../formats/lines-file.ts'
import { writeWhole } from '../formats/write-whole.ts'
import type { WrittenLines } from '../formats/written-lines.ts'
import type { Book } from './book-datasets.ts'
import type { RenderedRows, Rendering } from './render-book.ts'

/** A book that was written while it was computed. */
export interface WrittenBook {
  rows: number
  /** By the name of its column. */
  totals: ReadonlyMap<string, DecimalTotals>
  /** A time that no calendar holds: its files are worth nothing. */
  broken: boolean
  /** Some text may have a NUL character; what is written here is without. */
  hasNul: boolean
  /** The finished CSV file. */
  csv?: string
  lines?: WrittenLines
}

export interface Spool {
  /** The next rows of every book that is rendered. */
  add: (rendered: readonly RenderedRows[]) => void
  /** What was written, by the name of the book. */
  finish: () => Map<string, WrittenBook>
  /** Closes the files; `finish` does it as well. */
  close: () => void
}

interface OpenBook {
  name: string
  written: WrittenBook & { totals: Map<string, DecimalTotals> }
  csv: number | undefined
  lines: LinesFile | undefined
}

/** Writes what is computed to files of the work folder, as it comes. */
export function openSpool(
  workFolder: string,
  books: readonly Book[],
  renderings: ReadonlyMap<string, Rendering>,
  bom: boolean,
): Spool {
  const open = books
    .filter(({ name }) => renderings.has(name))
    .map(book => openBook(workFolder, book, renderings.get(book.name)!))
  const begin = bom ? BYTE_ORDER_MARK : ''
  open.forEach(({ csv, name }) => {
    const { columns } = books.find(book => book.name === name)!.table
    if (csv !== undefined) writeWhole(csv, Buffer.from(`${begin}${csvHeader(columns)}`))
  })
  const close = (): void => {
    for (const book of open) {
      if (book.csv !== undefined) closeSync(book.csv)
      book.lines?.close()
      book.csv = book.lines = undefined
    }
  }
  return {
    add: rendered => open.forEach((book, index) => addRows(book, rendered[index]!)),
    finish() {
      close()
      return new Map(open.map(({ name, written }) => [name, written]))
    },
    close,
  }
}

function openBook(folder: string, { name, table }: Book, rendering: Rendering): OpenBook {
  const csv = join(folder, `${name}.csv`)
  const lines = rendering.lines ? openLines(join(folder, name)) : undefined
  const decimals = table.columns.filter(({ kind }) => kind === 'decimal')
  return {
    name,
    written: {
      rows: 0,
      totals: new Map(decimals.map(column => [column.name, newDecimalTotals()])),
      broken: false,
      hasNul: false,
      ...(rendering.csv ? { csv } : {}),
      ...(lines === undefined ? {} : { lines: lines.written }),
    },
    csv: rendering.csv ? openSync(csv, 'w') : undefined,
    lines,
  }
}

function addRows({ written, csv, lines }: OpenBook, rendered: RenderedRows): void {
  written.rows += rendered.rows
  written.broken ||= rendered.broken
  written.hasNul ||= rendered.hasNul
  const totals = [...written.totals.values()]
  rendered.totals.forEach((one, index) => addTotals(totals[index]!, one))
  if (csv !== undefined) writeWhole(csv, rendered.csv)
  lines?.add(rendered.lines, rendered.rows)
}
