import { escapeFormula } from './formula.ts'

/** Excel needs it, see `writeCsv`. */
export const BYTE_ORDER_MARK = '\uFEFF'

export const CSV_ROW_END = '\r\n'

/** `|` is among them since fast-csv, which wrote these files first, quotes it: bytes stay. */
const QUOTED = /[",|\r\n]/

/** As RFC 4180 has it. */
export const quoteCell = (text: string, quoted: RegExp): string =>
  quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A cell without NUL characters, which no CSV reader takes. */
export const csvCell = (cell: string): string =>
  quoteCell(cell.includes('\0') ? cell.replaceAll('\0', '') : cell, QUOTED)

/** The header, with the end of its line. */
export const csvHeader = (columns: readonly { name: string }[]): string =>
  `${columns.map(({ name }) => csvCell(name)).join(',')}${CSV_ROW_END}`

/** Neither a formula nor to be quoted, as nearly all texts are. */
const PLAIN = /^[A-Za-z0-9][^",|\r\n\0]*$/

/** A text of somebody else, kept from being a formula. */
export function csvText(cell: string): string {
  if (PLAIN.test(cell)) return cell
  return csvCell(escapeFormula(cell.includes('\0') ? cell.replaceAll('\0', '') : cell))
}
