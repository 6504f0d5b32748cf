import { unescapeFormula } from '../../exports/formats/formula.ts'
import type { Column } from '../plan/columns.ts'
import { checkHeader, isUseless } from './header.ts'
import type { Problem, RawFile, RawRow } from './problem.ts'

/**
 * CSV as RFC 4180 has it: commas, quotes, any line end; a quoted line end does not count as a row.
 * An apostrophe that keeps a text from being a formula is no part of it.
 */
export async function readCsvFile(
  text: string,
  columns: readonly Column[],
  file: string,
): Promise<RawFile> {
  let records: string[][]
  try {
    records = await recordsOf(text)
  } catch (cause) {
    return {
      rows: [],
      problems: [
        {
          file,
          row: 0,
          column: null,
          code: 'FORMAT',
          message: `it is not valid CSV: ${explain(cause)}`,
        },
      ],
    }
  }
  const names = (records[0] ?? []).map(name => name.trim())
  const problems = checkHeader(names, columns, file)
  if (isUseless(problems)) return { rows: [], problems }
  const read = rowsOf(records.slice(1), names, file)
  return { rows: read.rows, problems: [...problems, ...read.problems] }
}

function rowsOf(records: readonly string[][], names: readonly string[], file: string): RawFile {
  const rows: RawRow[] = []
  const problems: Problem[] = []
  records.forEach((cells, index) => {
    const row = index + 2
    if (cells.every(cell => cell.trim() === '')) return
    if (cells.length > names.length && cells.slice(names.length).some(cell => cell !== ''))
      problems.push({
        file,
        row,
        column: null,
        code: 'CELLS',
        message:
          `the row has ${cells.length} cells, the header ${names.length}; ` +
          'a comma inside of a text needs quotes around it',
      })
    else if (cells.length < names.length)
      problems.push({
        file,
        row,
        column: null,
        code: 'CELLS',
        message: `the row has ${cells.length} cells, the header ${names.length}`,
      })
    else
      rows.push({
        row,
        cells: new Map(names.map((name, at) => [name, unescapeFormula(cells[at]!)])),
      })
  })
  return { rows, problems }
}

async function recordsOf(text: string): Promise<string[][]> {
  // Only here: workers that push no catalog need none of it.
  const { parseString } = await import('fast-csv')
  const records: string[][] = []
  return new Promise((resolve, reject) => {
    parseString(text, { headers: false, ignoreEmpty: false })
      .on('data', (record: string[]) => records.push(record))
      .on('error', reject)
      .on('end', () => resolve(records))
  })
}

/** Where it broke, without quoting what stands there. */
const explain = (cause: unknown): string =>
  cause instanceof Error && /missing closing/i.test(cause.message)
    ? 'a quote is opened and never closed'
    : 'a quote stands where none may be'
