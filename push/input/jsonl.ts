import { isRecord, parseExact, tokenOf } from '../../text/exact-json.ts'
import type { Json } from '../../text/exact-json.ts'
import type { Column } from '../plan/columns.ts'
import { checkHeader } from './header.ts'
import type { HeaderOrder } from './header.ts'
import type { Problem, RawFile, RawRow } from './problem.ts'

/**
 * One JSON object on each line; rows are lines. null and an absent field leave things as they are.
 */
export function readJsonlFile(text: string, order: HeaderOrder): RawFile {
  const rows: RawRow[] = []
  const problems: Problem[] = []
  text.split('\n').forEach((line, index) => {
    const row = index + 1
    if (line.trim() === '') return
    const read = readLine(line, order, row)
    if ('cells' in read) rows.push({ row, cells: read.cells })
    else problems.push(...read.problems)
  })
  return { rows, problems }
}

function readLine(
  line: string,
  order: HeaderOrder,
  row: number,
): { cells: Map<string, string> } | { problems: Problem[] } {
  const { file, columns } = order
  let value: Json
  try {
    value = parseExact(line)
  } catch {
    value = undefined
  }
  if (!isRecord(value))
    return {
      problems: [
        { file, row, column: null, code: 'JSON', message: 'the line is not a JSON object' },
      ],
    }
  const names = Object.keys(value)
  const header = checkHeader(names, order).map(problem => ({ ...problem, row }))
  if (header.length > 0) return { problems: header }
  const cells = new Map<string, string>()
  const problems: Problem[] = []
  for (const column of columns) {
    if (!(column.name in value)) continue
    const cell = cellOf(value[column.name], column)
    if (cell === undefined)
      problems.push({
        file,
        row,
        column: column.name,
        code: 'JSON',
        message:
          `${column.name} must be a text` + (column.kind === 'list' ? ' or a list of texts' : ''),
      })
    else cells.set(column.name, cell)
  }
  return problems.length > 0 ? { problems } : { cells }
}

function cellOf(value: Json, { kind }: Column): string | undefined {
  if (value === null) return ''
  if (kind === 'json') return typeof value === 'string' ? value : JSON.stringify(value)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return kind === 'boolean' ? String(value) : undefined
  if (Array.isArray(value))
    return value.every(item => typeof item === 'string' && !item.includes(';'))
      ? value.join(';')
      : undefined
  return kind === 'decimal' ? tokenOf(value) : undefined
}
