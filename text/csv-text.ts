import { BYTE_ORDER_MARK, CSV_ROW_END, quoteCell } from './csv-row.ts'
import { escapeFormula, unescapeFormula } from './formula.ts'

/** Cells of one file: text is made safe, numbers are written as they are. */
export type Cell = string | { readonly number: string }

export const number = (text: string): Cell => ({ number: text })

type Rows = readonly (readonly Cell[])[]

/**
 * CSV as RFC 4180 has it, for importers: CRLF, quotes where needed. No byte order mark, which an
 * importer takes for a part of the first column's name.
 */
export const csvText = (header: readonly string[], rows: Rows): string =>
  linesOf([header, ...rows], /[",\r\n]/)

/** For people: with a mark, Excel opens a double-clicked file in its right letters. */
export const csvForExcel = (header: readonly string[], rows: Rows): string =>
  `${BYTE_ORDER_MARK}${csvText(header, rows)}`

/** The same of records by the names of their columns; blanks at an end of a cell are kept. */
export const recordsForExcel = (
  columns: readonly string[],
  records: readonly Readonly<Record<string, string | number | null>>[],
): string => {
  const rows = records.map(record => columns.map(name => cellOf(record[name] ?? null)))
  return `${BYTE_ORDER_MARK}${linesOf([columns, ...rows], /[",\r\n]|^\s|\s$/)}`
}

const cellOf = (value: string | number | null): Cell =>
  typeof value === 'number' ? number(String(value)) : (value ?? '')

const linesOf = (rows: Rows, quoted: RegExp): string =>
  rows.map(row => row.map(cell => quoteCell(textOf(cell), quoted)).join(',') + CSV_ROW_END).join('')

/** NUL characters go first, as in `csv-row.ts`: no CSV reader takes them. */
const textOf = (cell: Cell): string =>
  typeof cell === 'string' ? escapeFormula(cell.replaceAll('\0', '')) : cell.number

/** Reads what `csvText` wrote: rows by the names of the header. */
export function readCsv(text: string): Record<string, string>[] {
  const cells: string[][] = [[]]
  for (const [, quoted, plain, end] of text
    .replace(/^\uFEFF/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g)) {
    cells.at(-1)!.push(unescapeFormula(quoted?.replaceAll('""', '"') ?? plain ?? ''))
    if (end === '\r\n') cells.push([])
  }
  const [header = [], ...rows] = cells.slice(0, -1)
  return rows.map(row => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])))
}
