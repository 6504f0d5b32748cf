/** Cells of a sheet: what one holds of a value, and which value one that was given out shows. */
import type { CellValue } from 'hucre/xlsx'
import type { DatasetColumn } from '../dataset.ts'
import { isoUtc } from './cells.ts'

/** Excel holds numbers as doubles: with more digits than these they change. */
const MOST_DIGITS = 15
const MOST_CHARACTERS = 32_767
/** Excel's calendar: its first day that is right and its last, each a day inside for any zone. */
const FIRST_MS = Date.UTC(1900, 2, 2)
const LAST_MS = Date.UTC(9999, 11, 30)

/** What XML cannot hold. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const NO_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/** What a sheet holds of a cell of `textCellSql`; times as the clocks of a zone show them. */
export function sheetCell(
  { kind }: Pick<DatasetColumn, 'kind'>,
  cell: unknown,
  toWall: (ms: number) => number,
): CellValue {
  // Timestamps are the only numbers here.
  if (typeof cell === 'number')
    return cell >= FIRST_MS && cell <= LAST_MS ? new Date(toWall(cell)) : isoUtc(cell)
  if (typeof cell !== 'string') return null
  if (kind === 'boolean') return cell === 'true'
  if (kind === 'date') return new Date(`${cell}T00:00:00Z`)
  return kind === 'integer' || kind === 'decimal' ? numberOf(cell) : shortened(cell)
}

const numberOf = (cell: string): CellValue =>
  cell.replaceAll(/[^0-9]/g, '').replace(/^0+/, '').length <= MOST_DIGITS ? Number(cell) : cell

function shortened(cell: string): string {
  const text = cell.replaceAll(NO_XML, '')
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text
}

/** What a cell of a sheet shows, as the text that CSV has of it; `fromWall` as `wallInstants`. */
export function sheetText(
  { kind }: Pick<DatasetColumn, 'kind'>,
  cell: unknown,
  fromWall: (wallMs: number) => number,
): string | null {
  if (cell instanceof Date)
    return kind === 'date' ? cell.toISOString().slice(0, 10) : isoUtc(fromWall(cell.getTime()))
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean'
    ? String(cell)
    : null
}
