import type { CountProblem } from '../audit/count-problem.ts'
import { COLUMN_ALIASES, SHEET_COLUMNS } from '../audit/count-sheet.ts'
import type { SheetColumn } from '../audit/count-sheet.ts'
import { explainComma, findDecimalStyle, withPoint } from '../tables/decimals.ts'
import type { DecimalStyle } from '../tables/decimals.ts'
import { explainExtraCells, isIgnored, resolveHeader } from '../tables/header.ts'
import { readBounded, readTables } from '../tables/read-tables.ts'
import type { Table, TableCell, TableProblem } from '../tables/table.ts'
import { unescapeFormula } from '../text/formula.ts'

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

/**
 * Reads a CSV file, or every visible worksheet of a workbook that has the header of a sheet.
 * `ignored`: columns of the users' own.
 */
export async function readCountRows(
  file: string,
  ignored: readonly string[] = [],
): Promise<RowsRead> {
  const bounded = readBounded(file, 'Name the counts files that came in.')
  const read =
    'problem' in bounded ? bounded : await readTables(bounded.bytes, name => isColumn(name))
  if ('problem' in read) return refuse(file, read.problem)
  const { tables } = read
  const isBook = tables[0]?.sheet !== undefined
  const sheets = isBook ? tables.filter(({ lines }) => isPrinted(lines[0])) : tables
  if (sheets.length === 0)
    return refuse(file, {
      code: 'HEADER_MISSING',
      row: 1,
      message: 'no visible worksheet has the header of a count sheet in its row 1',
    })
  const found = sheets.map(table => readTable(placeOf(file, table), table, ignored))
  const rows = found.flatMap(one => one.rows)
  return {
    rows: isBook ? rows.map(row => withWorkbook(row, rows)) : rows,
    problems: found.flatMap(one => one.problems),
  }
}

const placeOf = (file: string, { sheet }: Table): Place =>
  sheet === undefined ? { file } : { file, sheet }

function refuse(
  file: string,
  { code, row, message }: Omit<TableProblem, 'code'> & { code: string },
): RowsRead {
  return {
    rows: [],
    problems: [{ file, row: Math.max(row, 1), column: 'sheet_id', code, message }],
  }
}

type Place = Pick<CountRow, 'file' | 'sheet'>

/** An open sheet also says how much there should be. */
const ALSO_KNOWN = 'expected_qty'

const COLUMNS = [...SHEET_COLUMNS, ALSO_KNOWN].map(name => ({
  name,
  aliases: COLUMN_ALIASES[name] ?? [],
}))

const KNOWN: ReadonlySet<string> = new Set(COLUMNS.map(({ name }) => name))

const isColumn = (name: string): boolean => KNOWN.has(resolveHeader([name], COLUMNS)[0]!)

function readTable(
  place: Place,
  { lines, separator }: Table,
  ignored: readonly string[],
): RowsRead {
  const header = namesIn(lines[0])
  if (!isSheet(header)) return { rows: [], problems: [noSheet(place, lines)] }
  const problems = headerProblems(place, header, ignored)
  if (ROW_NEEDS.some(name => !header.includes(name))) return { rows: [], problems }
  const rows: CountRow[] = []
  const style = styleOf(lines, header, separator)
  for (const [at, line] of lines.entries()) {
    if (at === 0 || line.every(isEmpty)) continue
    const where = { ...place, row: at + 1 }
    const extra = explainExtraCells(line.map(textOfCell), header)
    if (extra !== undefined)
      problems.push({ ...where, column: 'line_id', code: 'CELLS', message: extra })
    const { row, found } = readLine(where, line, { header, style })
    problems.push(...found)
    rows.push(row)
  }
  return { rows: rows.map(row => withPlace(row, rows)), problems }
}

const isEmpty = ({ value }: TableCell): boolean => String(value ?? '').trim() === ''

/** Quantities, in which a comma may be a decimal comma. */
const QUANTITIES: readonly SheetColumn[] = ['counted_qty', 'recount_qty']

function styleOf(
  lines: readonly TableCell[][],
  header: readonly string[],
  separator: Table['separator'],
): DecimalStyle {
  const columns = QUANTITIES.map(name => header.indexOf(name))
  const cells = lines.slice(1).flatMap(line => columns.map(at => textOfCell(line[at] ?? EMPTY)))
  return findDecimalStyle(cells, separator)
}

const EMPTY: TableCell = { value: null }

function readLine(
  where: Place & { row: number },
  line: readonly TableCell[],
  { header, style }: { header: readonly string[]; style: DecimalStyle },
): { row: CountRow; found: CountProblem[] } {
  const row: CountRow = { ...where, cells: emptyCells() }
  const found: CountProblem[] = []
  for (const name of SHEET_COLUMNS) {
    const cell = line[header.indexOf(name)] ?? EMPTY
    const text = textOfCell(cell)
    const isQuantity = QUANTITIES.includes(name)
    const bent = explainCell(where, name, cell) ?? (isQuantity ? unclear(text, style) : undefined)
    if (bent !== undefined) found.push({ ...where, column: name, ...bent })
    row.cells[name] = isQuantity ? withPoint(text, style) : text
  }
  return { row, found }
}

function unclear(text: string, style: DecimalStyle): { code: string; message: string } | undefined {
  const message = explainComma(text, style)
  return message === undefined ? undefined : { code: 'QTY_UNCLEAR', message }
}

/** In our words, under whichever name people have written it. */
const namesIn = (line: readonly TableCell[] = []): string[] => {
  const names = line.map(({ value }) => String(value ?? '').trim())
  return resolveHeader(names, COLUMNS)
}

/** Columns that tell a count sheet from any other table. */
const TELLING: readonly SheetColumn[] = ['sheet_id', 'line_id', 'counted_by']

/** Without these nobody knows what a row counts. */
const ROW_NEEDS: readonly SheetColumn[] = ['sheet_id', 'line_id', 'counted_qty']

const isSheet = (header: readonly string[]): boolean => TELLING.some(name => header.includes(name))

/** A worksheet that was printed as a count sheet. */
const isPrinted = (line: readonly TableCell[] | undefined): boolean => {
  const header = namesIn(line)
  return header.includes('sheet_id') || header.includes('line_id')
}

/** How much of a foreign header is shown. */
const MOST_SHOWN = 60

/** One problem, not one for each column: it is another file, or something stands above. */
function noSheet(place: Place, lines: readonly TableCell[][]): CountProblem {
  const below = lines.findIndex(line => isSheet(namesIn(line)))
  const first = (lines[0] ?? []).map(({ value }) => String(value ?? '').trim()).join(',')
  const shown = first.length > MOST_SHOWN ? `${first.slice(0, MOST_SHOWN)}...` : first
  const message =
    below > 0
      ? `the header of the count sheet is in row ${below + 1}; delete the rows above it`
      : `this is not a count sheet: its row 1 is ${JSON.stringify(shown)}, and that of a sheet ` +
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

/** On a worksheet of a room where nothing should be, no printed line says of which audit it is. */
function withWorkbook(row: CountRow, rows: readonly CountRow[]): CountRow {
  const { cells } = row
  const beside = rows.find(one => one.cells.sheet_id !== '')?.cells
  return { ...row, cells: { ...cells, sheet_id: cells.sheet_id || (beside?.sheet_id ?? '') } }
}

const emptyCells = (): Record<SheetColumn, string> =>
  Object.fromEntries(SHEET_COLUMNS.map(name => [name, ''])) as Record<SheetColumn, string>

function headerProblems(
  place: Place,
  header: readonly string[],
  ignored: readonly string[],
): CountProblem[] {
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
      .map(name => problem(name, 'HEADER_TWICE', 'this column is in the header twice')),
    ...header
      .filter(name => name !== '' && !KNOWN.has(name) && !isIgnored(name, ignored))
      .map(name => problem(name, 'HEADER_UNKNOWN', UNKNOWN_COLUMN)),
  ]
}

const UNKNOWN_COLUMN = 'unknown column; leave out one of your own with --ignore-columns NAME'

/** Columns that are texts, whatever a spreadsheet would like to make of them. */
const NAMES: readonly SheetColumn[] = ['sku', 'product', 'room']
const TAGS: readonly SheetColumn[] = ['package_tag', 'scanned_tag']

/** What a spreadsheet may have done to a cell. */
function explainCell(
  place: Place,
  name: SheetColumn,
  cell: TableCell,
): { code: string; message: string } | undefined {
  const text = textOfCell(cell)
  if (cell.isFormula === true || isTypedFormula(place, name, cell))
    return { code: 'FORMULA', message: 'a formula; write the value itself' }
  if (TAGS.includes(name) && isBentTag(cell, text))
    return { code: 'TAG_BENT', message: `${text} is a number that was a tag; type it as text` }
  return undefined
}

/**
 * In a CSV file a text that looks like a formula has an apostrophe in front of it, on our own
 * sheets too; a workbook says of each cell which it is. No quantity is such a text.
 */
function isTypedFormula({ sheet }: Place, name: SheetColumn, cell: TableCell): boolean {
  if (NAMES.includes(name)) return false
  if (QUANTITIES.includes(name)) return textOfCell(cell).startsWith('=')
  const typed = String(cell.value ?? '').trim()
  return sheet === undefined && typed.startsWith('=')
}

/** `1.4E+23` is what is left of a tag of digits. */
const isBentTag = ({ value }: TableCell, text: string): boolean =>
  typeof value === 'number' || /^\d([.,]\d+)?[eE]\+?\d+$/.test(text)

function textOfCell({ value }: TableCell): string {
  // A date of the spreadsheet has no zone: what its clock shows, without one.
  if (value instanceof Date) return value.toISOString().slice(0, 19)
  return unescapeFormula(String(value ?? '').trim())
}
