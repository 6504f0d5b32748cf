import { escapeFormula } from '../../exports/formats/formula.ts'

/** A cell as RFC 4180 has it; what Excel would take for a formula is kept a text. */
export function csvCell(value: string | number | null): string {
  if (value === null) return ''
  const text =
    typeof value === 'number' ? String(value) : escapeFormula(value.replaceAll('\u0000', ''))
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** With a byte order mark, without which Excel reads names in the local code page. */
export const csvText = (
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string =>
  `\uFEFF${[columns, ...rows.map(row => columns.map(name => row[name] ?? null))]
    .map(cells => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')}`
