/** CSV that people hand in, with any separator and any line end. Pure. */
import { readCsvLine } from '../text/read-csv.ts'
import type { CsvFault, CsvReader } from '../text/read-csv.ts'
import { TABLE_LIMITS } from './limits.ts'
import { refuseTable, SEPARATORS, tooLarge } from './table.ts'
import type { Separator, Table, TableProblem } from './table.ts'

/**
 * The separator is the one under which one of the first lines names the most columns that are
 * known; of those with as many, the one that makes the most of them.
 */
export function readCsvTable(
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

/** Adds the records of a text; answers what keeps it from being read to its end. */
function parseCsv(text: string, separator: Separator, lines: string[][]): TableProblem | undefined {
  const reader: CsvReader = { text, separator, at: 0, most: TABLE_LIMITS }
  let cells = 0
  while (reader.at < text.length) {
    const row = lines.length + 1
    const line = readCsvLine(reader)
    if (typeof line === 'string') return { ...WHY[line], row }
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

/** As the people say it who handed the file in. */
const WHY: Readonly<Record<CsvFault, TableProblem>> = {
  'a quote is never closed': refuseTable('FORMAT', 'a quote is opened in this row and never closed')
    .problem,
  'a quote within a cell': refuseTable('FORMAT', 'a quote is not allowed here; write it twice')
    .problem,
  'a cell is too long': tooLarge('a cell of this row', TABLE_LIMITS.cellCharacters, 'characters')
    .problem,
}
