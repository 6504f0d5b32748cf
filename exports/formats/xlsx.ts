import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeXlsx as writeWorkbook, writeXlsxStream, XLSX_MAX_ROWS_PER_SHEET } from 'hucre/xlsx'
import type { CellValue } from 'hucre/xlsx'
import { wallClock } from '../../calendar/clock.ts'
import { UsageError } from '../../errors.ts'
import { MONEY_PLACES } from '../dataset.ts'
import type { ScannedColumn } from '../scan.ts'
import { textCellSql } from './cells.ts'
import type { FileJob } from './file-job.ts'
import { sheetCell } from './sheet-cells.ts'

/** As many cells are held in memory, so that their sheet can have a filter: a day, a month. */
const MOST_CELLS_HELD = 500_000
/** What a longer sheet's widths are fitted to. */
const SAMPLED_ROWS = 1_000
const [NARROWEST, WIDEST] = [8, 48]
/** The arrow of the filter, and some air. */
const ROOM = 4

/**
 * One sheet for people: a bold header that stays in sight, with a filter; columns as wide as what
 * they hold; numbers, days and times as Excel has them (times as the store's clocks show them, with
 * the zone), texts that look like formulas as texts. What a double would change stays text. A text
 * longer than a cell ends in an ellipsis; the other formats have all of it. A sheet of very many
 * rows has no filter and a plain header. The same rows give the same bytes.
 */
export async function writeXlsx(job: FileJob): Promise<void> {
  const { dataset, scan, path } = job
  if (scan.rows >= XLSX_MAX_ROWS_PER_SHEET) {
    throw new UsageError(
      `${dataset.name} has ${scan.rows} rows, ` +
        `and an Excel sheet holds ${XLSX_MAX_ROWS_PER_SHEET - 1}`,
      'export fewer days as xlsx, or use parquet or csv',
    )
  }
  if (scan.rows * scan.columns.length <= MOST_CELLS_HELD) return writeHeld(job)
  const sheet = writeXlsxStream(rowsOf(job, job.step), sheetOf(job, sampleOf(job)))
  await pipeline(Readable.fromWeb(sheet), createWriteStream(path))
}

function sampleOf(job: FileJob): CellValue[][] {
  const sampled: CellValue[][] = []
  for (const row of rowsOf(job, () => {})) if (sampled.push(row) === SAMPLED_ROWS) break
  return sampled
}

async function writeHeld(job: FileJob): Promise<void> {
  const { columns } = job.scan
  const rows = [...rowsOf(job, job.step)]
  const header = columns.map(({ name }) => name)
  const { columns: described, ...sheet } = sheetOf(job, rows)
  const bold = columns.map((_, index) => [`0,${index}`, { style: BOLD }] as const)
  const bytes = await writeWorkbook({
    // The same rows give the same bytes: no clock.
    properties: { created: NO_TIME, modified: NO_TIME },
    sheets: [
      {
        ...sheet,
        columns: described.map(({ header: _header, ...column }) => column),
        rows: [header, ...rows],
        cells: new Map(bold),
        autoFilter: { range: `A1:${lastColumn(columns.length)}${rows.length + 1}` },
      },
    ],
  })
  await writeFile(job.path, bytes)
}

const NO_TIME = new Date(0)
const BOLD = { font: { bold: true } }

/** The letters of Excel's column of this number, from 1. */
function lastColumn(number: number): string {
  const rest = Math.floor((number - 1) / 26)
  return `${rest === 0 ? '' : lastColumn(rest)}${String.fromCharCode(65 + ((number - 1) % 26))}`
}

const sheetOf = ({ dataset, scan, timeZone }: FileJob, sampled: readonly CellValue[][]) => ({
  name: dataset.name.slice(0, 31),
  columns: scan.columns.map((column, index) => ({
    header: column.name,
    width: widthOf(
      column,
      sampled.map(row => row[index] ?? null),
      timeZone,
    ),
    ...formatOf(column, timeZone),
  })),
  freezePane: { rows: 1 },
})

function widthOf(
  { name, kind }: ScannedColumn,
  cells: readonly CellValue[],
  timeZone: string,
): number {
  const timeLength = kind === 'date' ? DAY_LENGTH : TIME_LENGTH + timeZone.length
  const lengths = cells.map(cell => (cell === null ? 0 : shownLength(cell, timeLength)))
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0)
  return Math.min(WIDEST, Math.max(NARROWEST, name.length + ROOM, longest + 2))
}

/** `2026-03-01`, and `2026-03-01 12:00:00 ` before the zone. */
const [DAY_LENGTH, TIME_LENGTH] = [10, 20]

function shownLength(cell: NonNullable<CellValue>, timeLength: number): number {
  if (cell instanceof Date) return timeLength
  // With separators of thousands and two places.
  return typeof cell === 'number' ? cell.toFixed(2).length * 1.3 : String(cell).length
}

function* rowsOf(
  { snapshot, dataset, scan: { columns }, timeZone }: FileJob,
  step: (rows: number) => void,
): Generator<CellValue[]> {
  let count = 0
  const toWall = wallClock(timeZone)
  for (const row of snapshot.rows(dataset, columns.map(textCellSql), true)) {
    yield row.map((cell, index) => sheetCell(columns[index]!, cell, toWall))
    if (++count % 1024 === 0) step(count)
  }
}

/** Excel knows no zones: the format says it. */
function formatOf(column: ScannedColumn, timeZone: string): { numFmt?: string } {
  if (column.kind === 'timestamp') return { numFmt: `yyyy-mm-dd hh:mm:ss "${timeZone}"` }
  if (column.kind === 'date') return { numFmt: 'yyyy-mm-dd' }
  return column.places === MONEY_PLACES ? { numFmt: '#,##0.00##' } : {}
}
