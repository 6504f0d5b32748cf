import type { CellValue, Sheet } from 'hucre/xlsx'
import type { Column } from '../plan/columns.ts'
import { checkHeader, isUseless } from './header.ts'
import type { Problem, RawFile, RawRow } from './problem.ts'

/**
 * The first visible worksheet, or the one that is named after the catalog. Formulas are refused,
 * and numbers where a text belongs: Excel takes leading zeros and long digits away without a word.
 */
export async function readXlsxFile(
  bytes: Uint8Array,
  columns: readonly Column[],
  place: { file: string; sheet: string },
): Promise<RawFile> {
  const { file } = place
  // Only here: workers that push no catalog need none of it.
  const { readXlsx } = await import('hucre/xlsx')
  let sheets: Sheet[]
  try {
    sheets = (await readXlsx(bytes)).sheets
  } catch {
    return whole(file, 'FORMAT', 'it is not a readable XLSX workbook')
  }
  const visible = sheets.filter(({ hidden, veryHidden }) => hidden !== true && veryHidden !== true)
  const sheet = visible.find(({ name }) => name.toLowerCase() === place.sheet) ?? visible[0]
  if (sheet === undefined) return whole(file, 'EMPTY', 'the workbook has no visible worksheet')
  const names = (sheet.rows[0] ?? []).map(cell => String(cell ?? '').trim())
  while (names.at(-1) === '') names.pop()
  const problems = checkHeader(names, columns, file)
  if (isUseless(problems)) return { rows: [], problems }
  const read = rowsOf(sheet, names, columns, file)
  return { rows: read.rows, problems: [...problems, ...read.problems] }
}

const whole = (file: string, code: Problem['code'], message: string): RawFile => ({
  rows: [],
  problems: [{ file, row: 0, column: null, code, message }],
})

function rowsOf(
  sheet: Sheet,
  names: readonly string[],
  columns: readonly Column[],
  file: string,
): RawFile {
  const rows: RawRow[] = []
  const problems: Problem[] = []
  const known = names.flatMap((name, at) => {
    const column = columns.find(candidate => candidate.name === name)
    return column === undefined ? [] : [{ at, column }]
  })
  for (const [index, values] of sheet.rows.entries()) {
    if (index === 0) continue
    const row = index + 1
    const cells = new Map<string, string>()
    for (const { at, column } of known) {
      const isFormula = sheet.cells?.get(`${index},${at}`)?.type === 'formula'
      const cell = isFormula ? FORMULA : textOf(values[at] ?? null, column)
      if (typeof cell === 'string') cells.set(column.name, cell)
      else problems.push({ file, row, column: column.name, ...cell })
    }
    if ([...cells.values()].some(cell => cell.trim() !== '')) rows.push({ row, cells })
  }
  return { rows, problems }
}

type Refused = Pick<Problem, 'code' | 'message'>

const FORMULA: Refused = {
  code: 'FORMULA',
  message: 'the cell is a formula; paste its value as text',
}

function textOf(value: CellValue, column: Column): string | Refused {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (value instanceof Date) return dateText(value, column) ?? bent('date')
  const fits = column.kind === (typeof value === 'number' ? 'decimal' : 'boolean')
  return fits ? String(value) : bent(typeof value)
}

function dateText(value: Date, { kind, name }: Column): string | undefined {
  if (kind === 'date') return value.toISOString().slice(0, 10)
  return name === 'effective_at' ? value.toISOString().slice(0, 19) : undefined
}

const bent = (held: string): Refused => ({
  code: 'NOT_TEXT',
  message:
    `Excel holds it as a ${held}, which may have changed it; ` +
    'format the column as text and write it again',
})
