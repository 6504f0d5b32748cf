import type { CellStyle, CellValue, WriteSheet } from 'hucre'
import { xlsxText } from '../../text/xlsx-text.ts'
import { PAGE_SETUP } from '../page-setup.ts'
import type { AuditTable } from './table.ts'

/** Excel holds numbers as doubles: with more digits than these they change, and stay text. */
const MOST_DIGITS = 15

/** One worksheet for each table, the header in row 1; values alone, no formulas. */
export async function writeWorkbook(tables: readonly AuditTable[]): Promise<Uint8Array> {
  // Only here: workers that write no workbook need none of it.
  const { writeXlsx } = await import('hucre/xlsx')
  return writeXlsx({ sheets: tables.map(worksheet) })
}

const HEAD: CellStyle = {
  font: { bold: true },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: 'DDE5DD' } },
}

function worksheet({ title, columns, rows }: AuditTable): WriteSheet {
  return {
    name: title,
    rows: [
      columns.map(({ name }) => name),
      ...rows.map(row => row.map((value, at) => cellOf(value, columns[at]!.isNumber === true))),
    ],
    columns: columns.map(({ name }, at) => ({
      width: Math.min(
        60,
        Math.max(name.length + 2, ...rows.slice(0, 200).map(row => row[at]!.length + 1)),
      ),
    })),
    cells: new Map(
      columns.map(({ name }, at) => [`0,${at}`, { value: name, type: 'string', style: HEAD }]),
    ),
    freezePane: { rows: 1 },
    pageSetup: PAGE_SETUP,
  }
}

function cellOf(value: string, isNumber: boolean): CellValue {
  if (value === '') return null
  const digits = value.replaceAll(/[^0-9]/g, '').replace(/^0+/, '').length
  const isExact = isNumber && /^-?\d+(\.\d+)?$/.test(value) && digits <= MOST_DIGITS
  return isExact ? Number(value) : xlsxText(value)
}
