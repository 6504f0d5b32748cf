import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeXlsxStream, XLSX_MAX_ROWS_PER_SHEET } from 'hucre/xlsx'
import type { CellValue } from 'hucre/xlsx'
import { UsageError } from '../errors.ts'
import { isoUtc, textOf } from './cells.ts'
import { MONEY_PLACES } from './dataset.ts'
import type { Dataset } from './dataset.ts'
import type { ScannedColumn } from './scan.ts'
import type { Snapshot } from './snapshot.ts'

/** Excel holds numbers as doubles: with more digits than these they change. */
const MOST_DIGITS = 15
const MOST_CHARACTERS = 32_767
/** Excel's calendar: its first day that is right, and its last. */
const FIRST_MS = Date.UTC(1900, 2, 1)
const LAST_MS = Date.UTC(9999, 11, 31)

/** What XML cannot hold. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const NO_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/**
 * One sheet for people: numbers, days and times as Excel has them (times in UTC), texts that look
 * like formulas as texts. What a double would change stays text. A text longer than a cell ends in
 * an ellipsis; the other formats have all of it. The same rows give the same bytes.
 */
export async function writeXlsx(
  snapshot: Snapshot,
  dataset: Dataset,
  scan: { rows: number; columns: readonly ScannedColumn[] },
  path: string,
  step: (rows: number) => void,
): Promise<void> {
  if (scan.rows >= XLSX_MAX_ROWS_PER_SHEET) {
    throw new UsageError(
      `${dataset.name} has ${scan.rows} rows, and an Excel sheet holds ${XLSX_MAX_ROWS_PER_SHEET - 1}`,
      'export fewer days as xlsx, or use parquet or csv',
    )
  }
  const { columns } = scan
  function* rows(): Generator<CellValue[]> {
    let count = 0
    for (const row of snapshot.rows(dataset, columns.map(textOf), true)) {
      yield row.map((cell, index) => cellOf(columns[index]!, cell))
      if (++count % 1024 === 0) step(count)
    }
  }
  const sheet = writeXlsxStream(rows(), {
    name: dataset.name.slice(0, 31),
    columns: columns.map(column => ({
      header: column.name,
      width: Math.max(12, column.name.length + 2),
      ...formatOf(column),
    })),
    freezePane: { rows: 1 },
  })
  await pipeline(Readable.fromWeb(sheet), createWriteStream(path))
}

function formatOf(column: ScannedColumn): { numFmt?: string } {
  if (column.kind === 'timestamp') return { numFmt: 'yyyy-mm-dd hh:mm:ss' }
  if (column.kind === 'date') return { numFmt: 'yyyy-mm-dd' }
  if (column.kind !== 'decimal') return {}
  return column.places === MONEY_PLACES ? { numFmt: '#,##0.00##' } : {}
}

function cellOf({ kind }: ScannedColumn, cell: unknown): CellValue {
  // Timestamps are the only numbers here.
  if (typeof cell === 'number')
    return cell >= FIRST_MS && cell <= LAST_MS ? new Date(cell) : isoUtc(cell)
  if (typeof cell !== 'string') return null
  if (kind === 'boolean') return cell === 'true'
  if (kind === 'date') return new Date(`${cell}T00:00:00Z`)
  if (kind === 'integer' || kind === 'decimal')
    return cell.replaceAll(/[^0-9]/g, '').replace(/^0+/, '').length <= MOST_DIGITS
      ? Number(cell)
      : cell
  const text = cell.replaceAll(NO_XML, '')
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text
}
