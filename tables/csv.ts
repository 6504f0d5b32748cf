/** CSV as RFC 4180 has it, with any separator and any line end. Pure. */
import { TABLE_LIMITS } from './limits.ts'
import { refuseTable, SEPARATORS, tooLarge } from './table.ts'
import type { Separator, Table, TableProblem } from './table.ts'

/**
 * The separator is the one under which one of the first lines names the most columns that are
 * known; of those with as many, the one that makes the most of them.
 */
export function readCsv(
  text: string,
  isKnown: (name: string) => boolean,
): { table: Table } | { problem: TableProblem } {
  const named = /^sep=([,;\t])\r?\n/i.exec(text)
  const body = named === null ? text : text.slice(named[0].length)
  const separator = (named?.[1] as Separator | undefined) ?? findSeparator(body, isKnown)
  const lines: string[][] = []
  const problem = parseCsv(body, separator, lines)
  if (problem !== undefined) return { problem }
  return {
    table: { separator, lines: lines.map(line => line.map(value => ({ value }))) },
  }
}

function findSeparator(text: string, isKnown: (name: string) => boolean): Separator {
  const start = text.slice(0, TABLE_LIMITS.cellCharacters)
  const judged = start.split(/\r?\n|\r/, MOST_ABOVE).flatMap(line =>
    SEPARATORS.map(separator => {
      const names = line.split(separator).map(name => name.trim().replaceAll('"', ''))
      return { separator, known: names.filter(isKnown).length, names: names.length }
    }),
  )
  return judged.toSorted((a, b) => b.known - a.known || b.names - a.names)[0]!.separator
}

/** Titles may stand above the header. */
const MOST_ABOVE = 20

/** Where a reader of CSV stands. */
interface Reader {
  text: string
  separator: Separator
  at: number
}

/** Adds the records of a text; answers what keeps it from being read to its end. */
function parseCsv(text: string, separator: Separator, lines: string[][]): TableProblem | undefined {
  const reader: Reader = { text, separator, at: 0 }
  let cells = 0
  while (reader.at < text.length) {
    const row = lines.length + 1
    const line = readLine(reader)
    if ('code' in line) return { ...line, row }
    lines.push(line)
    cells += line.length
    const passed = passedLimit(line, row, cells)
    if (passed !== undefined) return passed
  }
  return undefined
}

function passedLimit(
  line: readonly string[],
  row: number,
  cells: number,
): TableProblem | undefined {
  const { rows, columns, csvCells, cellCharacters } = TABLE_LIMITS
  if (row > rows) return tooLarge('the file', rows, 'rows').problem
  if (line.length > columns) return tooLarge(`row ${row}`, columns, 'columns').problem
  if (cells > csvCells) return tooLarge('the file', csvCells, 'cells').problem
  if (line.some(cell => cell.length > cellCharacters))
    return tooLarge(`a cell of row ${row}`, cellCharacters, 'characters').problem
  return undefined
}

/** The cells of a record, or why it is none. */
function readLine(reader: Reader): string[] | TableProblem {
  const cells: string[] = []
  for (;;) {
    const cell = reader.text[reader.at] === '"' ? readQuoted(reader) : { text: readPlain(reader) }
    if ('code' in cell) return cell
    cells.push(cell.text)
    const next = reader.text[reader.at]
    if (next === reader.separator && cells.length <= TABLE_LIMITS.columns) {
      reader.at++
      continue
    }
    reader.at += next === '\r' && reader.text[reader.at + 1] === '\n' ? 2 : 1
    return cells
  }
}

function readPlain(reader: Reader): string {
  const { text, separator } = reader
  const from = reader.at
  while (reader.at < text.length && !isEnd(text[reader.at]!, separator)) reader.at++
  return text.slice(from, reader.at)
}

const isEnd = (letter: string, separator: Separator): boolean =>
  letter === separator || letter === '\n' || letter === '\r'

function readQuoted(reader: Reader): { text: string } | TableProblem {
  const { text, separator, at: start } = reader
  const parts: string[] = []
  for (let from = reader.at + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return bad('a quote is opened in this row and never closed')
    // A quote that is written twice is one.
    if (quote - start > 2 * TABLE_LIMITS.cellCharacters) return LONG
    parts.push(text.slice(from, quote))
    const next = text[quote + 1]
    reader.at = quote + 1
    if (next === undefined || isEnd(next, separator)) return { text: parts.join('"') }
    if (next !== '"') return bad('a quote is not allowed here; write it twice')
    from = quote + 2
  }
}

const bad = (why: string): TableProblem => refuseTable('FORMAT', why).problem

const LONG = tooLarge('a cell of this row', TABLE_LIMITS.cellCharacters, 'characters').problem
