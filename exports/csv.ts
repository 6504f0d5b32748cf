import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { format } from 'fast-csv'
import { isoUtc, textCellSql } from './cells.ts'
import type { FileJob } from './file-job.ts'
import { escapeFormula } from './formula.ts'

/**
 * UTF-8 CSV as RFC 4180 has it: CRLF, quotes where needed, one header. NULL and empty text both are
 * an empty cell (Parquet and JSONL tell them apart), and NUL characters are left out, which no CSV
 * reader takes.
 *
 * It starts with a byte order mark, unless `csv: { bom: false }` says otherwise. Without one, Excel opens a double-clicked file in the local
 * code page: names like `Piña` turn wrong without a word, and stay wrong once saved. DuckDB,
 * pandas, polars, R, SQLite, Power Query, LibreOffice and fast-csv skip the mark; a reader that
 * does not finds a strange first header, loudly (Python: `encoding='utf-8-sig'`).
 */
export async function writeCsv({
  snapshot,
  dataset,
  scan: { columns },
  path,
  step,
  bom,
}: FileJob): Promise<void> {
  const guarded = columns.map(column => column.kind === 'text' || column.kind === 'json')
  function* rows(): Generator<unknown[]> {
    let count = 0
    for (const row of snapshot.rows(dataset, columns.map(textCellSql), true)) {
      for (let index = 0; index < row.length; index++) {
        const cell = row[index]
        // Every other number comes as text.
        if (typeof cell === 'number') row[index] = isoUtc(cell)
        else if (guarded[index] === true && typeof cell === 'string')
          row[index] = escapeFormula(cell)
      }
      yield row
      if (++count % 4096 === 0) step(count)
    }
  }
  const formatter = format({
    headers: columns.map(column => column.name),
    alwaysWriteHeaders: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
  const file = createWriteStream(path, { highWaterMark: 1 << 20 })
  // Not by fast-csv, which leaves it out when there is no row.
  if (bom) file.write('\uFEFF')
  await pipeline(rows, formatter, file)
}
