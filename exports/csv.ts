import { closeSync, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { isoUtc, textCellSql } from './cells.ts'
import { CSV_ROW_END, csvCell, csvHeader, csvText } from './csv-row.ts'
import type { FileJob } from './file-job.ts'
import { writeWhole } from './write-whole.ts'

/** Excel needs it, see `writeCsv`. */
export const BYTE_ORDER_MARK = '\uFEFF'

const BATCH = 1024

/**
 * UTF-8 CSV as RFC 4180 has it: CRLF, quotes where needed, one header. NULL and empty text both are
 * an empty cell (Parquet and JSONL tell them apart), and NUL characters are left out, which no CSV
 * reader takes.
 *
 * It starts with a byte order mark, unless `csv: { bom: false }` says otherwise. Without one, Excel
 * opens a double-clicked file in the local code page: names like `Piña` turn wrong without a word,
 * and stay wrong once saved. DuckDB, pandas, polars, R, SQLite, Power Query, LibreOffice and fast-csv
 * skip the mark; a reader that does not finds a strange first header, loudly (Python:
 * `encoding='utf-8-sig'`).
 */
export async function writeCsv({ snapshot, dataset, scan, path, step, bom }: FileJob) {
  const { columns } = scan
  const foreign = columns.map(({ kind }) => kind === 'text' || kind === 'json')
  const file = openSync(path, 'w')
  try {
    let batch = `${bom ? BYTE_ORDER_MARK : ''}${csvHeader(columns)}`
    let rows = 0
    for (const row of snapshot.rows(dataset, columns.map(textCellSql), true)) {
      batch += row.map((cell, index) => textIn(cell, foreign[index]!)).join(',') + CSV_ROW_END
      if (++rows % BATCH !== 0) continue
      writeWhole(file, Buffer.from(batch))
      batch = ''
      step(rows)
      // Gives the event loop a turn, so that messages are sent: this loop is synchronous otherwise.
      await setImmediate()
    }
    writeWhole(file, Buffer.from(batch))
  } finally {
    closeSync(file)
  }
}

function textIn(cell: unknown, isForeign: boolean): string {
  // Every other number comes as text.
  if (typeof cell === 'number') return isoUtc(cell)
  if (typeof cell !== 'string') return ''
  return isForeign ? csvText(cell) : csvCell(cell)
}
