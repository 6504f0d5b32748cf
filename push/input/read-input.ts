import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { UsageError } from '../../errors.ts'
import type { Catalog } from '../operation.ts'
import { columnsOf } from '../plan/columns.ts'
import type { Column } from '../plan/columns.ts'
import { readCsvFile } from './csv.ts'
import { readJsonlFile } from './jsonl.ts'
import type { Problem, RawFile } from './problem.ts'
import { readRows } from './rows.ts'
import type { Row } from './rows.ts'
import { readXlsxFile } from './xlsx.ts'

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

/** Reads CSV, XLSX or JSONL, by the ending of its name. Throws where it cannot be read. */
export async function readInput(catalog: Catalog, file: string): Promise<Input> {
  const path = resolve(file)
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new UsageError(
      `${file} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      'Name a catalog file: .csv, .xlsx or .jsonl.',
    )
  })
  const columns = columnsOf(catalog)
  const raw = await readRaw(bytes, columns, { file, catalog })
  const read = await readRows(raw.rows, columns, { file, folder: dirname(path) })
  const problems = [...raw.problems, ...read.problems].sort((a, b) => a.row - b.row)
  if (problems.length === 0 && read.rows.length === 0)
    problems.push({ file, row: 0, column: null, code: 'EMPTY', message: 'the file has no row' })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { path, sha256, bytes, rows: read.rows, problems }
}

async function readRaw(
  bytes: Buffer,
  columns: readonly Column[],
  { file, catalog }: { file: string; catalog: Catalog },
): Promise<RawFile> {
  const ending = extname(file).toLowerCase()
  if (ending === '.xlsx') return readXlsxFile(bytes, columns, { file, sheet: catalog })
  if (ending !== '.csv' && ending !== '.jsonl' && ending !== '.ndjson')
    return asWhole(file, 'FORMAT', `${file} is none of .csv, .xlsx and .jsonl`)
  const text = decode(bytes)
  if (text === undefined) return asWhole(file, 'ENCODING', 'it is not UTF-8; save it as CSV UTF-8')
  if (text.trim() === '') return asWhole(file, 'EMPTY', 'the file is empty')
  return ending === '.csv' ? readCsvFile(text, columns, file) : readJsonlFile(text, columns, file)
}

const asWhole = (file: string, code: Problem['code'], message: string): RawFile => ({
  rows: [],
  problems: [{ file, row: 0, column: null, code, message }],
})

/** Without a byte order mark; undefined where it is not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
