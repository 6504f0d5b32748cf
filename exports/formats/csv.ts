import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import { quoteName, quoteText } from '../../connectors/quote.ts'
import { FORMULA_START } from '../../text/formula.ts'
import { BYTE_ORDER_MARK, CSV_ROW_END, csvCell, csvRow } from '../../text/write-csv.ts'
import { cellText } from './cells.ts'
import { readFile } from './duckdb.ts'
import { openTextFormat } from './format.ts'
import type { ExportColumn, Format } from './format.ts'

/**
 * UTF-8 CSV as RFC 4180 has it: CRLF, quotes where needed, one header. NULL and empty text both are
 * an empty cell (Parquet and JSONL tell them apart), and NUL characters are left out, which no CSV
 * reader takes.
 *
 * It starts with a byte order mark, unless `csv: { bom: false }` says otherwise. Without one, Excel
 * opens a double-clicked file in the local code page: names like `Piña` turn wrong without a word,
 * and stay wrong once saved. DuckDB, pandas, polars, R, SQLite, Power Query, LibreOffice and
 * fast-csv skip the mark; a reader that does not finds a strange first header, loudly (Python:
 * `encoding='utf-8-sig'`).
 */
export const csv = {
  name: 'csv',
  open: () =>
    openTextFormat(
      ({ bom, columns }) => {
        const header = csvRow(
          columns.map(({ name }) => ({ asIs: name })),
          'a bar too',
        )
        return `${bom ? BYTE_ORDER_MARK : ''}${header}${CSV_ROW_END}`
      },
      ({ columns }) =>
        cells => {
          let row = ''
          for (let at = 0; at < cells.length; at++)
            row +=
              at === 0 ? cellOf(columns[0]!, cells[0]!) : `,${cellOf(columns[at]!, cells[at]!)}`
          return row + CSV_ROW_END
        },
    ),
  rows: (path, columns) =>
    readFile(
      `read_csv(${quoteText(path)}, header = true, all_varchar = true, delim = ',', quote = '"', ` +
        `escape = '"', nullstr = '', parallel = false)`,
      columns,
      // The apostrophe that keeps a text from being a formula is no part of it.
      ({ name, kind }) =>
        kind === 'text' || kind === 'json'
          ? `regexp_replace(${quoteName(name)}, ` +
            `'^''(${FORMULA_START.replaceAll("'", "''")})', '\\1')`
          : quoteName(name),
    ),
} as const satisfies Format

function cellOf(column: ExportColumn, cell: StoredCell): string {
  if (cell === null) return ''
  if (column.kind === 'text' || column.kind === 'json') return csvCell(String(cell), 'a bar too')
  return cellText(column, cell)!
}
