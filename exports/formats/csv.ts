import { isoUtc, textCellSql } from './cells.ts'
import { BYTE_ORDER_MARK, CSV_ROW_END, csvCell, csvHeader, csvText } from './csv-row.ts'
import type { FileJob } from './file-job.ts'
import { writeRows } from './write-rows.ts'

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
export function writeCsv(job: FileJob): Promise<void> {
  const { columns } = job.scan
  const foreign = columns.map(({ kind }) => kind === 'text' || kind === 'json')
  return writeRows(job, {
    head: `${job.bom ? BYTE_ORDER_MARK : ''}${csvHeader(columns)}`,
    expressions: columns.map(textCellSql),
    textOf: row => row.map((cell, index) => textIn(cell, foreign[index]!)).join(',') + CSV_ROW_END,
  })
}

function textIn(cell: unknown, isForeign: boolean): string {
  // Every other number comes as text.
  if (typeof cell === 'number') return isoUtc(cell)
  if (typeof cell !== 'string') return ''
  return isForeign ? csvText(cell) : csvCell(cell)
}
