import { createWriteStream, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CellValue } from 'hucre/xlsx'
import { wallClock, wallInstants } from '../../calendar/clock.ts'
import { toIso } from '../../calendar/days.ts'
import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import { UsageError } from '../../errors.ts'
import { xlsxText } from '../../text/xlsx-text.ts'
import { MONEY_PLACES } from '../dataset.ts'
import type { DatasetColumn } from '../dataset.ts'
import { cellText } from './cells.ts'
import type { ExportColumn, FileRow, FileToWrite, Format, RowSink } from './format.ts'

/** Rows of a sheet, its header included. */
const MOST_ROWS = 1_048_576
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
export const xlsx = {
  name: 'xlsx',
  open: async () => ({ begin: sheetSink, async end() {}, async close() {} }),
  rows: sheetRows,
  // What a sheet cannot show is no difference: an hour that comes twice, the end of a long text.
  textIn(column, timeZone) {
    const zone = zoneOf(column, timeZone)
    const [toWall, fromWall] = [wallClock(zone), wallInstants(zone)]
    return cell => shownText(column, sheetCell(column, cell, toWall), fromWall)
  },
} as const satisfies Format

/**
 * Times that tell who somebody is are birthdays, at midnight UTC: by the clocks of an American
 * store they would be on the day before.
 */
const zoneOf = ({ person }: Pick<DatasetColumn, 'person'>, timeZone: string): string =>
  person ? 'UTC' : timeZone

/** Holds the rows while they are few; a longer sheet is written from rows that are read again. */
function sheetSink(file: FileToWrite): RowSink {
  const { columns, name, timeZone } = file
  const clocks = columns.map(column => wallClock(zoneOf(column, timeZone)))
  const rowOf = (cells: readonly StoredCell[]): CellValue[] =>
    cells.map((cell, index) => sheetCell(columns[index]!, cell, clocks[index]!))
  const held: CellValue[][] = []
  let count = 0
  return {
    add(cells) {
      if (++count >= MOST_ROWS) throw tooLong(name)
      if (count * columns.length <= MOST_CELLS_HELD) held.push(rowOf(cells))
      else held.length = Math.min(held.length, SAMPLED_ROWS)
    },
    async finish() {
      if (count === held.length) await writeHeld(file, held)
      else await writeStreamed(file, held.slice(0, SAMPLED_ROWS), rowOf)
      return {}
    },
  }
}

const tooLong = (name: string): UsageError =>
  new UsageError(
    `${name} has more than ${MOST_ROWS - 1} rows, and an Excel sheet holds no more`,
    'export fewer days as xlsx, or use parquet or csv',
  )

async function writeStreamed(
  file: FileToWrite,
  sampled: readonly CellValue[][],
  rowOf: (cells: readonly StoredCell[]) => CellValue[],
): Promise<void> {
  // Its library is loaded by those exports alone that make sheets.
  const { writeXlsxStream } = await import('hucre/xlsx')
  async function* rows(): AsyncGenerator<CellValue[]> {
    let count = 0
    for await (const batch of file.rows()) {
      yield* batch.map(rowOf)
      count += batch.length
      file.step(count)
    }
  }
  const sheet = writeXlsxStream(rows(), sheetOf(file, sampled))
  await pipeline(Readable.fromWeb(sheet), createWriteStream(file.path))
}

async function writeHeld(file: FileToWrite, rows: CellValue[][]): Promise<void> {
  const { writeXlsx } = await import('hucre/xlsx')
  const { columns } = file
  const header = columns.map(({ name }) => name)
  const { columns: described, ...sheet } = sheetOf(file, rows)
  const bold = columns.map((_, index) => [`0,${index}`, { style: BOLD }] as const)
  const bytes = await writeXlsx({
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
  await writeFile(file.path, bytes)
}

const NO_TIME = new Date(0)
const BOLD = { font: { bold: true } }

/** The letters of Excel's column of this number, from 1. */
function lastColumn(number: number): string {
  const rest = Math.floor((number - 1) / 26)
  return `${rest === 0 ? '' : lastColumn(rest)}${String.fromCharCode(65 + ((number - 1) % 26))}`
}

const sheetOf = ({ name, columns, timeZone }: FileToWrite, sampled: readonly CellValue[][]) => ({
  name: name.slice(0, 31),
  columns: columns.map((column, index) => ({
    header: column.name,
    width: widthOf(
      column,
      sampled.map(row => row[index] ?? null),
      zoneOf(column, timeZone),
    ),
    ...formatOf(column, zoneOf(column, timeZone)),
  })),
  freezePane: { rows: 1 },
})

function widthOf(
  { name, kind }: ExportColumn,
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

/** Excel knows no zones: the format says it. */
function formatOf(column: ExportColumn, timeZone: string): { numFmt?: string } {
  if (column.kind === 'timestamp') return { numFmt: `yyyy-mm-dd hh:mm:ss "${timeZone}"` }
  if (column.kind === 'date') return { numFmt: 'yyyy-mm-dd' }
  return column.places === MONEY_PLACES ? { numFmt: '#,##0.00##' } : {}
}

/** Excel holds numbers as doubles: with more digits than these they change. */
const MOST_DIGITS = 15
const MOST_CHARACTERS = 32_767
/** Excel's calendar: its first day that is right and its last, each a day inside for any zone. */
const FIRST_MS = Date.UTC(1900, 2, 2)
const LAST_MS = Date.UTC(9999, 11, 30)

/** What a sheet holds of a cell; times as the clocks of a zone show them. */
function sheetCell(
  column: Pick<DatasetColumn, 'kind'>,
  cell: StoredCell,
  toWall: (ms: number) => number,
): CellValue {
  if (cell === null) return null
  switch (column.kind) {
    case 'timestamp':
      return timeOf(Number(cell), toWall)
    case 'boolean':
      return cell === 1
    case 'date':
      return new Date(`${cell}T00:00:00Z`)
    case 'integer':
    case 'decimal':
      return numberOf(String(cell))
    case 'text':
    case 'json':
      return shortened(cellText(column, cell)!)
  }
}

const timeOf = (ms: number, toWall: (ms: number) => number): CellValue =>
  ms >= FIRST_MS && ms <= LAST_MS ? new Date(toWall(ms)) : toIso(ms)

const numberOf = (cell: string): CellValue =>
  cell.replaceAll(/[^0-9]/g, '').replace(/^0+/, '').length <= MOST_DIGITS ? Number(cell) : cell

function shortened(cell: string): string {
  const text = xlsxText(cell)
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text
}

/** What a cell of a sheet shows, as the text that CSV has of it. */
function shownText(
  { kind }: Pick<DatasetColumn, 'kind'>,
  cell: unknown,
  fromWall: (wallMs: number) => number,
): string | null {
  if (cell instanceof Date)
    return kind === 'date' ? cell.toISOString().slice(0, 10) : toIso(fromWall(cell.getTime()))
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean'
    ? String(cell)
    : null
}

/** These are for people, so they are small enough to be held. */
async function* sheetRows(
  path: string,
  columns: readonly DatasetColumn[],
  timeZone: string,
): AsyncGenerator<FileRow> {
  const { streamXlsxRows } = await import('hucre/xlsx')
  const clocks = columns.map(column => wallInstants(zoneOf(column, timeZone)))
  let places: Map<string, number> | undefined
  for await (const { values } of streamXlsxRows(readFileSync(path))) {
    const row = values
    if (places === undefined) places = new Map(row.map((name, index) => [String(name), index]))
    else {
      const known = places
      yield Object.fromEntries(
        columns.flatMap((column, index) =>
          known.has(column.name)
            ? [[column.name, shownText(column, row[known.get(column.name)!], clocks[index]!)]]
            : [],
        ),
      )
    }
  }
}
