import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dataset } from '../dataset.ts'
import { isoUtc } from '../formats/cells.ts'
import { writeCsv } from '../formats/csv.ts'
import type { FileJob } from '../formats/file-job.ts'
import type { ScannedColumn } from '../scan.ts'
import type { Snapshot } from '../snapshot.ts'
import type { AnswerCell, QueryAnswer } from './query-cells.ts'

/** How an answer may be written; `table` and `json` also where no file is asked for. */
export const ANSWER_FORMATS = ['table', 'csv', 'json', 'parquet', 'xlsx'] as const
export type AnswerFormat = (typeof ANSWER_FORMATS)[number]

/** Writes an answer as a file by the writers of exports, so that both are read alike. */
export async function writeAnswer(
  answer: QueryAnswer,
  format: 'csv' | 'parquet' | 'xlsx',
  { path, bom }: { path: string; bom: boolean },
): Promise<void> {
  const job = jobOf(answer, { path, bom })
  if (format === 'csv') return writeCsv(job)
  if (format === 'xlsx') {
    const { writeXlsx } = await import('../formats/xlsx.ts')
    return writeXlsx(job)
  }
  const { openParquetWriter } = await import('../formats/parquet.ts')
  const folder = mkdtempSync(join(tmpdir(), 'tillage-query-'))
  const writer = await openParquetWriter(folder)
  try {
    // As texts with their types, for a column of exact digits is nothing that was asked for.
    const columns = job.scan.columns.map(column => ({ ...column, kind: 'text' as const }))
    await writer.write({ ...job, scan: { ...job.scan, columns } })
  } finally {
    writer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A cell as text for people and CSV. */
export const answerText = (cell: AnswerCell): string =>
  typeof cell === 'number' ? isoUtc(cell) : (cell ?? '')

/** Rows as objects of JSON: amounts as text, since a number would round them. */
export const answerAsJson = ({ columns, rows }: QueryAnswer): object => ({
  columns: columns.map(({ name, type }) => ({ name, type })),
  rows: rows.map(row =>
    Object.fromEntries(columns.map(({ name, kind }, at) => [name, jsonCell(row[at]!, kind)])),
  ),
})

function jsonCell(cell: AnswerCell, kind: ScannedColumn['kind']): unknown {
  if (cell === null) return null
  if (kind === 'boolean') return cell === 'true'
  const isWhole = kind === 'integer' && Number.isSafeInteger(Number(cell))
  return isWhole ? Number(cell) : answerText(cell)
}

/** The answer as what a writer of files reads. */
function jobOf({ columns, rows }: QueryAnswer, { path, bom }: { path: string; bom: boolean }) {
  const written: ScannedColumn[] = columns.map(({ name, kind, type }) => ({
    name,
    kind,
    type,
    person: false,
    masked: false,
    rewritten: false,
    beyondType: 0,
  }))
  const snapshot: Pick<Snapshot, 'rows' | 'values'> = {
    rows: () => rows.values(),
    values: () => rows.map(row => JSON.stringify(row)).values(),
  }
  return {
    snapshot: snapshot as Snapshot,
    dataset: { name: 'answer' } as Dataset,
    scan: { rows: rows.length, columns: written, sums: {} },
    path,
    isWritten: false,
    lines: undefined,
    step: () => {},
    bom,
    timeZone: 'UTC',
  } satisfies FileJob
}
