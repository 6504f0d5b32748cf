import type { Image } from '../operation.ts'
import type { Column } from '../plan/columns.ts'
import { parseLocalTime } from '../plan/effective.ts'
import { readCell } from './cell.ts'
import type { Cell } from './cell.ts'
import { findImages } from './images.ts'
import type { Problem, RawRow } from './problem.ts'

/** A row of the file, every cell understood. */
export interface Row {
  row: number
  externalId: string
  /** What each column asks for; columns that ask for nothing are not there. */
  cells: ReadonlyMap<string, Cell>
  images: readonly Image[]
}

/** The text of a cell that is one; undefined where it asks for nothing. */
export function textIn({ cells }: Row, column: string): string | undefined {
  const cell = cells.get(column)
  return cell?.kind === 'text' ? cell.text : undefined
}

/** SKUs are compared as people mean them: case and outer blanks make no other one. */
export const skuKey = (sku: string): string => sku.trim().normalize('NFC').toUpperCase()

/** Looks at every cell of every row; problems of all of them at once. */
export async function readRows(
  raw: readonly RawRow[],
  columns: readonly Column[],
  place: { file: string; folder: string },
): Promise<{ rows: Row[]; problems: Problem[] }> {
  const problems: Problem[] = []
  const rows: Row[] = []
  const good: Row[] = []
  for (const { row, cells } of raw) {
    const said = problems.length
    const say = (column: string, refused: Pick<Problem, 'code' | 'message'>): void =>
      void problems.push({ file: place.file, row, column, ...refused })
    const read = readCells(cells, columns, say)
    const externalId = textOf(read.get('external_id'))
    const isRefused = problems.slice(said).some(({ column }) => column === 'external_id')
    if (externalId === '' && !isRefused)
      say('external_id', { code: 'REQUIRED', message: 'external_id is empty' })
    const images = await findImages(read.get('image_paths'), place.folder, say)
    const parsed: Row = { row, externalId, cells: read, images }
    rows.push(parsed)
    if (problems.length === said) good.push(parsed)
  }
  return { rows: good, problems: [...problems, ...findDuplicates(rows, place.file)] }
}

type Say = (column: string, refused: Pick<Problem, 'code' | 'message'>) => void

function readCells(
  cells: RawRow['cells'],
  columns: readonly Column[],
  say: Say,
): Map<string, Cell> {
  const read = new Map<string, Cell>()
  for (const column of columns) {
    const cell = readCell(cells.get(column.name) ?? '', column)
    if (cell === undefined) continue
    if ('refused' in cell) say(column.name, cell.refused)
    else if (column.name === 'effective_at' && parseLocalTime(textOf(cell)) === undefined)
      say(column.name, {
        code: 'TIME',
        message: 'is not a time of the calendar; write it as yyyy-MM-ddTHH:mm, the local time',
      })
    else read.set(column.name, cell)
  }
  return read
}

const textOf = (cell: Cell | undefined): string => (cell?.kind === 'text' ? cell.text : '')

/** The same external id or SKU twice is an error of the second row. */
function findDuplicates(rows: readonly Row[], file: string): Problem[] {
  const seen = new Map<string, number>()
  const problems: Problem[] = []
  for (const row of rows) {
    const sku = textIn(row, 'sku')
    const keys: (readonly [column: string, key: string])[] = [
      ...(row.externalId === '' ? [] : [['external_id', row.externalId.normalize('NFC')] as const]),
      ...(sku === undefined ? [] : [['sku', skuKey(sku)] as const]),
    ]
    for (const [column, key] of keys) {
      const first = seen.get(`${column} ${key}`)
      if (first === undefined) seen.set(`${column} ${key}`, row.row)
      else
        problems.push({
          file,
          row: row.row,
          column,
          code: 'DUPLICATE',
          message: `row ${first} has the same ${column}`,
        })
    }
  }
  return problems
}
