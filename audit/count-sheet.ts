import type { Cell, CellStyle, DataValidation, WriteSheet } from 'hucre'
import { csvForExcel } from '../text/write-csv.ts'
import { xlsxText } from '../text/xlsx-text.ts'
import { openBelow } from './open-below.ts'
import { PAGE_SETUP } from './page-setup.ts'
import type { Snapshot, SnapshotLine } from './snapshot.ts'

const PRINTED_COLUMNS = [
  'sheet_id',
  'line_id',
  'inventory_id',
  'room',
  'sku',
  'product',
  'package_tag',
  'batch_sku',
  'unit',
] as const

/** What people write into; everything else is locked. */
const WRITTEN_COLUMNS = [
  'counted_qty',
  'scanned_tag',
  'counted_by',
  'counted_at',
  'recount_qty',
  'recounted_by',
  'reason_code',
  'note',
] as const

/** The columns of a count sheet, as people and their programs know them. */
export const SHEET_COLUMNS = [...PRINTED_COLUMNS, ...WRITTEN_COLUMNS] as const
export type SheetColumn = (typeof SHEET_COLUMNS)[number]

/** What people, and the state's programs, call the columns. */
export const COLUMN_ALIASES: Readonly<Partial<Record<string, readonly string[]>>> = {
  line_id: ['line', 'line no', 'line number'],
  room: ['location'],
  product: ['product name', 'item'],
  package_tag: ['tag', 'package', 'package id', 'metrc tag'],
  batch_sku: ['batch', 'lot'],
  unit: ['unit of measure', 'uom'],
  counted_qty: ['counted', 'count', 'quantity', 'qty', 'counted quantity'],
  scanned_tag: ['scanned', 'scan'],
  counted_by: ['counter'],
  recount_qty: ['recount', 'recounted', 'recount quantity'],
  reason_code: ['reason', 'adjustment reason'],
  note: ['notes', 'comment', 'adjustment note'],
  expected_qty: ['expected'],
}

const FOR_WRITING: ReadonlySet<string> = new Set(WRITTEN_COLUMNS)

/**
 * What a row for stock that was found also says. A spreadsheet gives an inserted row the locks of
 * the one above it, so in the last line these are open, too; a printed value that was changed is
 * refused when the counts come in.
 */
const FOR_FOUND: ReadonlySet<SheetColumn> = new Set(['sku', 'batch_sku'])

/** Besides the columns, where somebody wants to see what should be there. */
const OPEN = 'expected_qty'

/** What the sheet says of a line, by column. */
export const printedCells = (
  sheet: string,
  line: SnapshotLine,
): Record<(typeof PRINTED_COLUMNS)[number], string> => ({
  sheet_id: sheet,
  line_id: line.lineId,
  inventory_id: line.inventoryId,
  room: line.room,
  sku: line.sku,
  product: line.product,
  package_tag: line.packageTag,
  batch_sku: line.batchSku,
  unit: line.unit,
})

/** A blind sheet says nothing of how much there should be. */
function cellsOf(sheet: string, line: SnapshotLine, isOpen: boolean): string[] {
  const printed = printedCells(sheet, line)
  return [
    ...PRINTED_COLUMNS.map(name => printed[name]),
    ...WRITTEN_COLUMNS.map(() => ''),
    ...(isOpen ? [line.expected] : []),
  ]
}

const headerOf = (isOpen: boolean): string[] => [...SHEET_COLUMNS, ...(isOpen ? [OPEN] : [])]

export const countSheetCsv = ({ sheet, lines, isBlind }: Snapshot): string =>
  csvForExcel(
    headerOf(!isBlind),
    lines.map(line => cellsOf(sheet, line, !isBlind)),
  )

/** Sheets are printed and written on with a pen: no column is wider than what it is for. */
const WIDTHS: Readonly<Record<SheetColumn, number>> = {
  sheet_id: 9,
  line_id: 8,
  inventory_id: 13,
  room: 12,
  sku: 10,
  product: 32,
  package_tag: 26,
  batch_sku: 12,
  unit: 6,
  counted_qty: 12,
  scanned_tag: 26,
  counted_by: 11,
  counted_at: 12,
  recount_qty: 12,
  recounted_by: 14,
  reason_code: 13,
  note: 22,
}
const OPEN_WIDTH = 12
/** Text cells stay as they are typed: no tag becomes a number, no date is bent. */
const TEXT: CellStyle = { numFmt: '@', protection: { locked: true } }
const OPEN_TEXT: CellStyle = { ...TEXT, protection: { locked: false } }
const HEAD: CellStyle = {
  ...TEXT,
  font: { bold: true },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: 'DDE5DD' } },
}
const WRITABLE: CellStyle = {
  numFmt: '@',
  protection: { locked: false },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: 'FFFBE6' } },
  border: {
    bottom: { style: 'thin', color: { rgb: 'CCCCCC' } },
    right: { style: 'thin', color: { rgb: 'CCCCCC' } },
  },
}
/** Excel takes a number typed into a text cell for a text: counts are general cells. */
const NUMBER: CellStyle = { ...WRITABLE, numFmt: 'General' }

/** One worksheet for each room, its header in row 1; what is not for writing is locked. */
export async function countSheetXlsx(
  snapshot: Snapshot,
  reasons: readonly string[],
): Promise<Uint8Array> {
  // Only here: workers that write no sheet need none of it.
  const { writeXlsx } = await import('hucre/xlsx')
  const isOpen = !snapshot.isBlind
  const names = sheetNames(snapshot.rooms.map(({ name }) => name))
  const sheets = snapshot.rooms.map(({ id }, at): WriteSheet => {
    const lines = snapshot.lines.filter(({ inventoryId }) => inventoryId === id)
    const cells = lines.map(line => cellsOf(snapshot.sheet, line, isOpen))
    return { ...worksheet(names[at]!, cells, isOpen), dataValidations: [reasonList(reasons)] }
  })
  return openBelow(await writeXlsx({ sheets }))
}

const REASON_COLUMN = String.fromCodePoint(65 + SHEET_COLUMNS.indexOf('reason_code'))

/** Adjustment reasons are chosen, in the lines and below them; also other spellings are refused. */
const reasonList = (reasons: readonly string[]): DataValidation => ({
  type: 'list',
  values: [...reasons],
  range: `${REASON_COLUMN}2:${REASON_COLUMN}${MOST_ROWS}`,
  allowBlank: true,
  showErrorMessage: true,
  errorTitle: 'Adjustment reason',
  errorMessage: 'Choose one of the list; write anything else into the note.',
})
const MOST_ROWS = 10_000

/**
 * Stock that is found where none should be is a row of its own: rows may be inserted. A room where
 * nothing should be has nothing to protect.
 */
const PROTECTION: NonNullable<WriteSheet['protection']> = {
  sheet: true,
  formatColumns: true,
  formatRows: true,
  insertRows: true,
}

function worksheet(name: string, lines: readonly string[][], isOpen: boolean): WriteSheet {
  const header = headerOf(isOpen)
  const rows = [header, ...lines].map(line =>
    line.map(value => (value === '' ? null : xlsxText(value))),
  )
  const cells = new Map<string, Partial<Cell>>()
  for (const [row, line] of rows.entries())
    for (const [column, value] of line.entries()) {
      const isLast = row > 0 && row === lines.length
      const style = row === 0 ? HEAD : styleOf(header[column]!, isLast)
      cells.set(`${row},${column}`, { value, type: value === null ? 'empty' : 'string', style })
    }
  return {
    name,
    rows,
    cells,
    columns: header.map(column => ({
      width: column === OPEN ? OPEN_WIDTH : WIDTHS[column as SheetColumn],
    })),
    freezePane: { rows: 1 },
    ...(lines.length === 0 ? {} : { protection: PROTECTION }),
    pageSetup: PAGE_SETUP,
  }
}

function styleOf(column: string, isLast: boolean): CellStyle {
  if (isLast && FOR_FOUND.has(column as SheetColumn)) return OPEN_TEXT
  if (column === 'counted_qty' || column === 'recount_qty') return NUMBER
  return FOR_WRITING.has(column) ? WRITABLE : TEXT
}

/** Excel takes 31 characters, none of `\ / ? * [ ] :`, and no name twice. */
export function sheetNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map(name => {
    const plain =
      name
        .replaceAll(/[\\/?*[\]:']/g, ' ')
        .trim()
        .slice(0, 31) || 'Room'
    let unique = plain
    for (let number = 2; taken.has(unique.toLowerCase()); number++)
      unique = `${plain.slice(0, 31 - ` ${number}`.length)} ${number}`
    taken.add(unique.toLowerCase())
    return unique
  })
}
