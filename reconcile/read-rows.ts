import { readFileSync } from 'node:fs'
import type { CellValue, Sheet } from 'hucre'
import { parseCsv } from 'hucre/csv'
import { readXlsx } from 'hucre/xlsx'
import { SHEET_COLUMNS } from '../audit/count-sheet.ts'
import type { SheetColumn } from '../audit/count-sheet.ts'
import { UsageError } from '../errors.ts'
import { unescapeFormula } from '../exports/formats/formula.ts'
import type { CountProblem } from './count-problem.ts'

/** A row of a counts file, by the names of its header. */
export interface CountRow {
  file: string
  sheet?: string
  /** As Excel shows it. */
  row: number
  cells: Record<SheetColumn, string>
}

export interface RowsRead {
  rows: CountRow[]
  problems: CountProblem[]
}

/** Reads a CSV file, or every visible worksheet of a workbook that has the header of a sheet. */
export async function readCountRows(file: string): Promise<RowsRead> {
  const bytes = readBytes(file)
  const isWorkbook = bytes[0] === 0x50 && bytes[1] === 0x4b
  return isWorkbook ? readWorkbook(file, bytes) : readText(file, bytes)
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new UsageError(`${file} cannot be read (${code})`, 'Name the counts files that came in.')
  }
}

function readText(file: string, bytes: Buffer): RowsRead {
  const problem = (code: string, message: string): RowsRead => ({
    rows: [],
    problems: [{ file, row: 1, column: 'sheet_id', code, message }],
  })
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return problem('NOT_UTF8', 'the file is not UTF-8; save it as "CSV UTF-8"')
  }
  if (text.trim() === '')
    return problem(
      'EMPTY',
      'the file is empty; was it saved, and is it the one that was filled in?',
    )
  if (/^[^\r\n,]*;/.test(text))
    return problem('NOT_COMMA', 'the columns are separated by semicolons; separate them by commas')
  const lines = parseCsv(text, { delimiter: ',', typeInference: false })
  return readTable(
    { file },
    lines.map(line => line.map(value => ({ value }))),
  )
}

async function readWorkbook(file: string, bytes: Buffer): Promise<RowsRead> {
  let sheets: Sheet[]
  try {
    ;({ sheets } = await readXlsx(bytes))
  } catch {
    throw new UsageError(`${file} is not a workbook that can be read`, 'Save it as .xlsx again.')
  }
  const read = sheets
    .filter(({ hidden, veryHidden }) => hidden !== true && veryHidden !== true)
    .filter(({ rows }) => rows[0]?.some(cell => cell === 'sheet_id' || cell === 'line_id') === true)
    .map(sheet => readTable({ file, sheet: sheet.name }, cellsOf(sheet)))
  if (read.length > 0) {
    const rows = read.flatMap(one => one.rows)
    return {
      rows: rows.map(row => withWorkbook(row, rows)),
      problems: read.flatMap(one => one.problems),
    }
  }
  const message = 'no visible worksheet has the header of a count sheet in its row 1'
  return {
    rows: [],
    problems: [{ file, row: 1, column: 'sheet_id', code: 'HEADER_MISSING', message }],
  }
}

interface FoundCell {
  value: CellValue | undefined
  isFormula?: boolean
}

const cellsOf = ({ rows, cells }: Sheet): FoundCell[][] =>
  rows.map((line, row) =>
    Array.from(line, (value, column) => {
      const cell = cells?.get(`${row},${column}`)
      return { value, isFormula: cell?.formula !== undefined }
    }),
  )

type Place = Pick<CountRow, 'file' | 'sheet'>

function readTable(place: Place, lines: readonly FoundCell[][]): RowsRead {
  const header = namesIn(lines[0])
  const problems = isSheet(header) ? headerProblems(place, header) : [noSheet(place, lines)]
  if (problems.length > 0) return { rows: [], problems }
  const rows: CountRow[] = []
  for (const [at, line] of lines.entries()) {
    if (at === 0 || line.every(({ value }) => String(value ?? '').trim() === '')) continue
    const row: CountRow = { ...place, row: at + 1, cells: emptyCells() }
    for (const name of SHEET_COLUMNS) {
      const cell = line[header.indexOf(name)] ?? { value: null }
      const bent = explainCell(name, cell)
      if (bent !== undefined) problems.push({ ...place, row: at + 1, column: name, ...bent })
      row.cells[name] = textOfCell(cell)
    }
    rows.push(row)
  }
  return { rows: rows.map(row => withPlace(row, rows)), problems }
}

const namesIn = (line: readonly FoundCell[] = []): string[] =>
  line.map(({ value }) => String(value ?? '').trim())

/** Columns that tell a count sheet from any other table. */
const TELLING: readonly SheetColumn[] = ['sheet_id', 'line_id', 'counted_qty']

const isSheet = (header: readonly string[]): boolean => TELLING.some(name => header.includes(name))

/** How much of a foreign header is shown. */
const MOST_SHOWN = 60

/** One problem, not one for each column: it is another file, or something stands above. */
function noSheet(place: Place, lines: readonly FoundCell[][]): CountProblem {
  const below = lines.findIndex(line => isSheet(namesIn(line)))
  const first = namesIn(lines[0]).join(',')
  const shown = first.length > MOST_SHOWN ? `${first.slice(0, MOST_SHOWN)}...` : first
  const message =
    below > 0
      ? `the header of the count sheet stands in row ${below + 1}; delete the rows above it`
      : `this is no count sheet: its row 1 is ${JSON.stringify(shown)}, and that of a sheet ` +
        `begins with ${SHEET_COLUMNS.slice(0, 3).join(',')}; is it the right file?`
  return { ...place, row: 1, column: 'sheet_id', code: 'HEADER_MISSING', message }
}

/**
 * Who finds stock where none should be writes a row of his own: the file says of which audit it is,
 * and a worksheet also in which room.
 */
function withPlace(row: CountRow, rows: readonly CountRow[]): CountRow {
  const { cells, sheet } = row
  const beside = rows.find(one => one.cells.line_id !== '')?.cells
  if (cells.line_id !== '' || beside === undefined) return row
  const isPlaced = cells.inventory_id !== '' || cells.room !== '' || sheet === undefined
  return {
    ...row,
    cells: {
      ...cells,
      sheet_id: cells.sheet_id || beside.sheet_id,
      inventory_id: isPlaced ? cells.inventory_id : beside.inventory_id,
    },
  }
}

/** On the worksheet of a room where nothing should be, no printed line says where a row belongs. */
function withWorkbook(row: CountRow, rows: readonly CountRow[]): CountRow {
  const { cells, sheet = '' } = row
  const isPlaced = cells.inventory_id !== '' || cells.room !== ''
  const sheetId =
    cells.sheet_id || (rows.find(one => one.cells.sheet_id !== '')?.cells.sheet_id ?? '')
  return { ...row, cells: { ...cells, sheet_id: sheetId, room: isPlaced ? cells.room : sheet } }
}

const emptyCells = (): Record<SheetColumn, string> =>
  Object.fromEntries(SHEET_COLUMNS.map(name => [name, ''])) as Record<SheetColumn, string>

/** An open sheet also says how much there should be. */
const ALSO_KNOWN = ['expected_qty']

function headerProblems(place: Place, header: readonly string[]): CountProblem[] {
  const known: readonly string[] = [...SHEET_COLUMNS, ...ALSO_KNOWN]
  const problem = (column: string, code: string, message: string): CountProblem => ({
    ...place,
    row: 1,
    column,
    code,
    message,
  })
  return [
    ...SHEET_COLUMNS.filter(name => !header.includes(name)).map(name =>
      problem(name, 'HEADER_MISSING', 'this column is missing in the header'),
    ),
    ...header
      .filter((name, at) => name !== '' && header.indexOf(name) !== at)
      .map(name => problem(name, 'HEADER_TWICE', 'this column stands twice in the header')),
    ...header
      .filter(name => name !== '' && !known.includes(name))
      .map(name => problem(name, 'HEADER_UNKNOWN', 'no such column is known')),
  ]
}

/** Columns that are texts, whatever a spreadsheet would like to make of them. */
const NAMES: readonly SheetColumn[] = ['sku', 'product', 'room']
const LOT_NAMES: readonly SheetColumn[] = ['package_tag', 'batch_sku', 'scanned_tag']
const TAGS: readonly SheetColumn[] = ['package_tag', 'scanned_tag']

/** What a spreadsheet may have done to a cell. */
function explainCell(
  name: SheetColumn,
  cell: FoundCell,
): { code: string; message: string } | undefined {
  const text = textOfCell(cell)
  if (cell.isFormula === true || isTypedFormula(name, cell))
    return { code: 'FORMULA', message: 'a formula; write the value itself' }
  if (TAGS.includes(name) && isBentTag(cell, text))
    return { code: 'TAG_BENT', message: `${text} is a number that was a tag; type it as text` }
  return undefined
}

/** What the API calls a lot may look like a formula: our sheet has an apostrophe in front of it. */
function isTypedFormula(name: SheetColumn, cell: FoundCell): boolean {
  if (NAMES.includes(name)) return false
  const text = LOT_NAMES.includes(name) ? String(cell.value ?? '').trim() : textOfCell(cell)
  return text.startsWith('=')
}

/** `1.4E+23` is what is left of a tag of digits. */
const isBentTag = ({ value }: FoundCell, text: string): boolean =>
  typeof value === 'number' || /^\d([.,]\d+)?[eE]\+?\d+$/.test(text)

function textOfCell({ value }: FoundCell): string {
  // A date of the spreadsheet has no zone: what its clock shows, without one.
  if (value instanceof Date) return value.toISOString().slice(0, 19)
  return unescapeFormula(String(value ?? '').trim())
}
