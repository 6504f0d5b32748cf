import { explainComma, findDecimalStyle, withPoint } from '../../tables/decimals.ts'
import type { DecimalStyle } from '../../tables/decimals.ts'
import { explainExtraCells, resolveHeader } from '../../tables/header.ts'
import { readTables } from '../../tables/read-tables.ts'
import type { Table, TableCell } from '../../tables/table.ts'
import { unescapeFormula } from '../../text/formula.ts'
import type { Column } from '../plan/columns.ts'
import { checkHeader, isUseless } from './header.ts'
import type { Problem, RawFile, RawRow } from './problem.ts'

export interface TableOrder {
  file: string
  /** The worksheet that counts, where there is one of that name; else the first visible one. */
  sheet: string
  columns: readonly Column[]
  /** Columns of the users' own. */
  ignored: readonly string[]
}

/**
 * A catalog as CSV or XLSX. Formulas are refused, and numbers where a text belongs: Excel takes
 * leading zeros and long digits away without a word. An apostrophe that keeps a text from being a
 * formula is no part of it.
 */
export async function readTableFile(bytes: Buffer, order: TableOrder): Promise<RawFile> {
  const { file, columns } = order
  const known = new Set(columns.map(({ name }) => name))
  const isKnown = (name: string): boolean => known.has(resolveHeader([name], columns)[0]!)
  const read = await readTables(bytes, isKnown)
  if ('problem' in read) return { rows: [], problems: [{ file, column: null, ...read.problem }] }
  const { tables } = read
  const table = tables.find(({ sheet }) => sheet?.toLowerCase() === order.sheet) ?? tables[0]!
  const names = (table.lines[0] ?? []).map(({ value }) => String(value ?? '').trim())
  while (names.at(-1) === '') names.pop()
  const header = resolveHeader(names, columns)
  const problems = checkHeader(header, order)
  if (isUseless(problems)) return { rows: [], problems }
  const rows = readLines(table, header, order)
  return { rows: rows.rows, problems: [...problems, ...rows.problems] }
}

/** A column of the table, and where it stands. */
interface Place {
  at: number
  column: Column
}

function readLines(
  table: Table,
  header: readonly string[],
  { file, columns }: TableOrder,
): RawFile {
  const rows: RawRow[] = []
  const problems: Problem[] = []
  const places = header.flatMap((name, at): Place[] => {
    const column = columns.find(candidate => candidate.name === name)
    return column === undefined ? [] : [{ at, column }]
  })
  const style = styleOf(table, places)
  for (const [index, line] of table.lines.entries()) {
    const texts = line.map(({ value }) => String(value ?? '').trim())
    if (index === 0 || texts.every(text => text === '')) continue
    const row = index + 1
    const slipped = explainLength(table, line, header) ?? explainExtraCells(texts, header)
    if (slipped !== undefined)
      problems.push({ file, row, column: null, code: 'CELLS', message: slipped })
    else {
      const { cells, found } = readLine(line, places, style)
      problems.push(...found.map(problem => ({ file, row, ...problem })))
      rows.push({ row, cells })
    }
  }
  return { rows, problems }
}

/** A line of CSV has as many cells as its header; Excel leaves empty ones out at the end. */
function explainLength(
  { sheet }: Table,
  line: readonly TableCell[],
  header: readonly string[],
): string | undefined {
  if (sheet !== undefined || line.length >= header.length) return undefined
  return `the row has ${line.length} cells, the header ${header.length}`
}

/** Of columns in which a comma may be a decimal comma. */
function styleOf({ lines, separator }: Table, places: readonly Place[]): DecimalStyle {
  const decimals = places.filter(({ column }) => column.kind === 'decimal')
  const cells = lines
    .slice(1)
    .flatMap(line => decimals.map(({ at }) => String(line[at]?.value ?? '').trim()))
  return findDecimalStyle(cells, separator)
}

type Refused = Pick<Problem, 'code' | 'message'>
type Found = Refused & Pick<Problem, 'column'>

function readLine(
  line: readonly TableCell[],
  places: readonly Place[],
  style: DecimalStyle,
): { cells: Map<string, string>; found: Found[] } {
  const cells = new Map<string, string>()
  const found: Found[] = []
  for (const { at, column } of places) {
    const cell = textOf(line[at] ?? { value: null }, column, style)
    if (typeof cell === 'string') cells.set(column.name, cell)
    else found.push({ column: column.name, ...cell })
  }
  return { cells, found }
}

function textOf(
  { value, isFormula }: TableCell,
  column: Column,
  style: DecimalStyle,
): string | Refused {
  if (isFormula === true) return FORMULA
  if (value === null) return ''
  if (typeof value === 'string') return readText(value, column, style)
  if (value instanceof Date) return dateText(value, column) ?? bent('date')
  const fits = column.kind === (typeof value === 'number' ? 'decimal' : 'boolean')
  return fits ? String(value) : bent(typeof value)
}

function readText(text: string, { kind }: Column, style: DecimalStyle): string | Refused {
  if (kind !== 'decimal') return unescapeFormula(text)
  const message = explainComma(text.trim(), style)
  return message === undefined ? withPoint(text.trim(), style) : { code: 'DECIMAL', message }
}

const FORMULA: Refused = {
  code: 'FORMULA',
  message: 'the cell is a formula; paste its value as text',
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
