import { readFileSync, statSync } from 'node:fs'
import { UsageError } from '../errors.ts'
import { readCsvTable } from './csv.ts'
import { decodeText } from './encoding.ts'
import { TABLE_LIMITS } from './limits.ts'
import { refuseTable, tooLarge } from './table.ts'
import type { TableProblem, TablesRead } from './table.ts'
import { readWorkbook } from './workbook.ts'

/** The bytes of a file that somebody hands in, within the limit. Throws where it cannot be read. */
export function readBounded(
  file: string,
  what: string,
): { bytes: Buffer } | { problem: TableProblem } {
  const { fileMegabytes } = TABLE_LIMITS
  try {
    const { size } = statSync(file)
    if (size > fileMegabytes * 1_000_000) return tooLarge('the file', fileMegabytes, 'MB')
    return { bytes: readFileSync(file) }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new UsageError(`${file} cannot be read (${code})`, what)
  }
}

/**
 * The tables of a CSV file or a workbook, told by how its bytes begin. `isKnown` says which names
 * are those of a column: so the separator of CSV is found.
 */
export async function readTables(
  bytes: Buffer,
  isKnown: (name: string) => boolean,
): Promise<TablesRead> {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return readWorkbook(bytes)
  const text = decodeText(bytes)
  if (text === undefined)
    return refuseTable(
      'ENCODING',
      'it is not text in UTF-8, UTF-16 or Windows-1252; save it as "CSV UTF-8" or as .xlsx',
    )
  if (text.trim() === '')
    return refuseTable(
      'EMPTY',
      'the file is empty; was it saved, and is it the one that was filled in?',
    )
  const read = readCsvTable(text, isKnown)
  return 'problem' in read ? read : { tables: [read.table] }
}
