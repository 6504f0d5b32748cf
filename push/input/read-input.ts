import { dirname, extname, resolve } from 'node:path'
import { sha256Of } from '../../sha256.ts'
import { decodeText } from '../../tables/encoding.ts'
import { readBounded } from '../../tables/read-tables.ts'
import type { Catalog } from '../operation.ts'
import { columnsOf } from '../plan/columns.ts'
import { readJsonlFile } from './jsonl.ts'
import type { Problem, RawFile } from './problem.ts'
import { readRows } from './rows.ts'
import type { Row } from './rows.ts'
import { readTableFile } from './table.ts'
import type { TableOrder } from './table.ts'

/** A catalog file, read whole: its rows, or everything that is wrong with it. */
export interface Input {
  /** Absolute. */
  path: string
  sha256: string
  /** The bytes as they were read: the file that is applied is kept. */
  bytes: Buffer
  rows: Row[]
  problems: Problem[]
}

/**
 * Reads CSV, XLSX or JSONL, by the ending of its name. Throws where it cannot be read. `ignored`:
 * columns of the users' own.
 */
export async function readInput(
  catalog: Catalog,
  file: string,
  ignored: readonly string[] = [],
): Promise<Input> {
  const path = resolve(file)
  const bounded = readBounded(file, 'Name a catalog file: .csv, .xlsx or .jsonl.')
  const columns = columnsOf(catalog)
  const order = { file, columns, ignored, sheet: catalog }
  const raw: RawFile =
    'problem' in bounded
      ? { rows: [], problems: [{ file, column: null, ...bounded.problem }] }
      : await readRaw(bounded.bytes, order)
  const read = await readRows(raw.rows, columns, { file, folder: dirname(path) })
  const problems = [...raw.problems, ...read.problems].sort((a, b) => a.row - b.row)
  if (problems.length === 0 && read.rows.length === 0)
    problems.push({ file, row: 0, column: null, code: 'EMPTY', message: 'the file has no row' })
  const bytes = 'bytes' in bounded ? bounded.bytes : Buffer.alloc(0)
  const sha256 = sha256Of(bytes)
  return { path, sha256, bytes, rows: read.rows, problems }
}

async function readRaw(bytes: Buffer, order: TableOrder): Promise<RawFile> {
  const { file } = order
  const ending = extname(file).toLowerCase()
  if (ending === '.xlsx' || ending === '.csv') return readTableFile(bytes, order)
  if (ending !== '.jsonl' && ending !== '.ndjson')
    return asWhole(file, 'FORMAT', `${file} is not a .csv, .xlsx or .jsonl file`)
  const text = decodeText(bytes)
  if (text === undefined) return asWhole(file, 'ENCODING', 'it is not text in UTF-8')
  if (text.trim() === '') return asWhole(file, 'EMPTY', 'the file is empty')
  return readJsonlFile(text, order)
}

const asWhole = (file: string, code: Problem['code'], message: string): RawFile => ({
  rows: [],
  problems: [{ file, row: 0, column: null, code, message }],
})
