import type { CellValue, Sheet } from 'hucre/xlsx'
import { TABLE_LIMITS } from './limits.ts'
import { refuseTable, tooLarge } from './table.ts'
import type { Table, TableCell, TableProblem, TablesRead } from './table.ts'
import { judgeWorkbook } from './zip-size.ts'

/** The visible worksheets of a workbook, in its order. */
export async function readWorkbook(bytes: Buffer): Promise<TablesRead> {
  const problem = judgeWorkbook(bytes)
  if (problem !== undefined) return { problem }
  // Only here: workers that read no workbook need none of it.
  const { readXlsx } = await import('hucre/xlsx')
  let sheets: Sheet[]
  try {
    sheets = (await readXlsx(bytes)).sheets
  } catch {
    return refuseTable('FORMAT', 'it is not a readable XLSX workbook; save it as .xlsx again')
  }
  const visible = sheets.filter(({ hidden, veryHidden }) => hidden !== true && veryHidden !== true)
  if (visible.length === 0) return refuseTable('EMPTY', 'the workbook has no visible worksheet')
  const tables = visible.map(tableOf)
  const long = findLong(tables)
  return long === undefined ? { tables } : { problem: long }
}

function findLong(tables: readonly Table[]): TableProblem | undefined {
  const { cellCharacters, workbookCharacters } = TABLE_LIMITS
  let characters = 0
  for (const { lines } of tables)
    for (const { value } of lines.flat()) {
      const { length } = typeof value === 'string' ? value : ''
      if (length > cellCharacters) return tooLarge('a cell', cellCharacters, 'characters').problem
      characters += length
    }
  return characters > workbookCharacters
    ? tooLarge('the workbook', workbookCharacters, 'characters').problem
    : undefined
}

const tableOf = ({ name, rows, cells }: Sheet): Table => ({
  sheet: name,
  lines: rows.map((line, row) =>
    Array.from(line, (value: CellValue | undefined, column): TableCell => {
      const cell = cells?.get(`${row},${column}`)
      const isFormula = cell?.type === 'formula' || cell?.formula !== undefined
      return { value: value ?? null, ...(isFormula ? { isFormula } : {}) }
    }),
  ),
})
