import { escapeFormula, unescapeFormula } from '../../formats/formula.ts'

/** Cells of one file: text is made safe, numbers are written as they are. */
export type Cell = string | { readonly number: string }

export const number = (text: string): Cell => ({ number: text })

/**
 * CSV as RFC 4180 has it, for importers: CRLF, quotes where needed. No byte order mark, which an
 * importer takes for a part of the first column's name.
 */
export function csvText(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const text = (cell: Cell): string =>
    // NUL characters go first, as in `exports/formats/csv-row.ts`: no CSV reader takes them.
    quote(typeof cell === 'string' ? escapeFormula(cell.replaceAll('\0', '')) : cell.number)
  return [header, ...rows].map(row => `${row.map(text).join(',')}\r\n`).join('')
}

const quote = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Reads what `csvText` wrote: rows by the names of the header. */
export function readCsv(text: string): Record<string, string>[] {
  const cells: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g)) {
    cells.at(-1)!.push(unescapeFormula(quoted?.replaceAll('""', '"') ?? plain ?? ''))
    if (end === '\r\n') cells.push([])
  }
  const [header = [], ...rows] = cells.slice(0, -1)
  return rows.map(row => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])))
}
