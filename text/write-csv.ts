import { escapeFormula } from './formula.ts'

/** At the start of what people open: without it Excel takes a file for its local code page. */
export const BYTE_ORDER_MARK = '\uFEFF'

export const CSV_ROW_END = '\r\n'

/**
 * Which cells stand in quotes. RFC 4180 asks for the first of these; files whose cells were put in
 * quotes more often go on as they were, since the same rows give the same bytes (INV-9).
 */
const QUOTED = {
  'where needed': /[",\r\n]/,
  /** Files of datasets: fast-csv, which wrote them first, quotes it. */
  'a bar too': /[",|\r\n]/,
  /** Catalogs: a reader that trims cells keeps blanks in quotes. */
  'blanks at an end too': /[",\r\n]|^\s|\s$/,
}
type Quoting = keyof typeof QUOTED

/** A text is kept from being a formula; what is ours, such as an amount, is written as it is. */
export type Cell = string | { readonly asIs: string }

/** An amount or a count, as a cell. */
export const number = (text: string): Cell => ({ asIs: text })

/** Neither a formula nor quoted by any rule, as nearly all texts are. */
const PLAIN = /^[A-Za-z0-9](?:[^",|\r\n\0]*[^",|\s\0])?$/

/** One cell. NUL characters are left out, which no CSV reader takes. */
export function csvCell(cell: Cell, quoting: Quoting = 'where needed'): string {
  const given = typeof cell === 'string' ? cell : cell.asIs
  if (PLAIN.test(given)) return given
  const bare = given.includes('\0') ? given.replaceAll('\0', '') : given
  const text = typeof cell === 'string' ? escapeFormula(bare) : bare
  return QUOTED[quoting].test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The cells of one row, without the end of its line. */
export const csvRow = (cells: readonly Cell[], quoting?: Quoting): string =>
  cells.map(cell => csvCell(cell, quoting)).join(',')

/**
 * A whole file, for importers. No byte order mark, which an importer takes for a part of the first
 * column's name.
 */
export const csvText = (
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  quoting?: Quoting,
): string => [header, ...rows].map(row => csvRow(row, quoting) + CSV_ROW_END).join('')

/** The same for people: with a mark, Excel opens a double-clicked file in its right letters. */
export const csvForExcel = (...file: Parameters<typeof csvText>): string =>
  BYTE_ORDER_MARK + csvText(...file)

/** Records of a catalog, by the names of their columns. */
export function recordsForExcel(
  columns: readonly string[],
  records: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const rows = records.map(record => columns.map(name => cellOf(record[name] ?? null)))
  return csvForExcel(columns, rows, 'blanks at an end too')
}

const cellOf = (value: string | number | null): Cell =>
  typeof value === 'number' ? number(String(value)) : (value ?? '')
