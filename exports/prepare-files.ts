import { join } from 'node:path'
import type { WrittenBook } from './books/spool.ts'
import { writeCsv } from './csv.ts'
import type { Dataset } from './dataset.ts'
import type { PreparedFile } from './decide-revision.ts'
import type { FileJob } from './file-job.ts'
import { writeJsonl } from './jsonl.ts'
import type { FileFormat, ManifestDataset } from './manifest.ts'
import { openParquetWriter, parquetWriter } from './parquet.ts'
import type { ParquetWriter } from './parquet.ts'
import { fingerprint } from './publish.ts'
import type { BeyondType, ExportProgress } from './request.ts'
import { describeRows, scanDataset } from './scan.ts'
import type { Scan } from './scan.ts'
import type { Snapshot } from './snapshot.ts'

export type FilePlan = readonly { dataset: Dataset; formats: FileFormat[] }[]

/** Where files come from, and where they are prepared. */
export interface FileSource {
  workFolder: string
  snapshot: Snapshot
  /** Datasets that were written while they were computed. */
  written: ReadonlyMap<string, WrittenBook>
  /** Whether columns that tell who somebody is are written. */
  people: boolean
  /** Whether CSV begins with a byte order mark. */
  bom: boolean
  /** In which XLSX shows times. */
  timeZone: string
  report: (progress: ExportProgress) => void
}

export interface PreparedFiles {
  datasets: ManifestDataset[]
  files: PreparedFile[]
  beyondType: BeyondType[]
}

/** Reads every dataset from one snapshot and writes its files, without final names. */
export async function prepareFiles(source: FileSource, plan: FilePlan): Promise<PreparedFiles> {
  const parquet = plan.some(({ formats }) => formats.includes('parquet'))
    ? await openParquetWriter(source.workFolder)
    : undefined
  const prepared: PreparedFiles = { datasets: [], files: [], beyondType: [] }
  try {
    for (const { dataset, formats } of plan) {
      const scan = scanFor(source, dataset)
      prepared.datasets.push(describeDataset(dataset, scan))
      if (formats.includes('parquet')) prepared.beyondType.push(...findBeyondType(dataset, scan))
      for (const format of formats)
        prepared.files.push(await writeFile(jobFor(source, dataset, scan, format), format, parquet))
    }
  } finally {
    parquet?.close()
  }
  return prepared
}

function scanFor({ snapshot, written, people, report }: FileSource, dataset: Dataset): Scan {
  const book = written.get(dataset.name)
  if (book !== undefined) return describeRows(snapshot, dataset, people, book)
  const reportRows = (rows: number): void =>
    report({ phase: 'scanning', dataset: dataset.name, rows })
  reportRows(0)
  return scanDataset(snapshot, dataset, people, reportRows)
}

const jobFor = (
  { workFolder, snapshot, written, report, bom, timeZone }: FileSource,
  dataset: Dataset,
  scan: Scan,
  format: FileFormat,
): FileJob => ({
  snapshot,
  dataset,
  scan,
  path: join(workFolder, `${dataset.name}.${format}`),
  isWritten: format === 'csv' && written.get(dataset.name)?.csv !== undefined,
  lines: written.get(dataset.name)?.lines,
  step: rows => report({ phase: 'writing', dataset: dataset.name, format, rows }),
  bom,
  timeZone,
})

const WRITERS = {
  csv: writeCsv,
  jsonl: writeJsonl,
  // Its library is loaded by those exports alone that make sheets.
  xlsx: async (job: FileJob): Promise<void> => (await import('./xlsx.ts')).writeXlsx(job),
} as const

async function writeFile(
  job: FileJob,
  format: FileFormat,
  parquet: ParquetWriter | undefined,
): Promise<PreparedFile> {
  job.step(0)
  let content: string | undefined
  if (format === 'parquet') content = await parquet!.write(job)
  else if (!job.isWritten) await WRITERS[format](job)
  return {
    preparedPath: job.path,
    dataset: job.dataset.name,
    format,
    rows: job.scan.rows,
    ...fingerprint(job.path),
    ...(content === undefined ? {} : { writer: parquetWriter(), content }),
  }
}

const findBeyondType = ({ name }: Dataset, { columns }: Scan): BeyondType[] =>
  columns
    .filter(column => column.beyondType > 0)
    .map(column => ({
      dataset: name,
      column: column.name,
      type: column.type,
      values: column.beyondType,
    }))

function rowsOf({ relation, windowing }: Dataset): ManifestDataset['rowsOf'] {
  if (relation !== undefined) return 'business_day'
  return windowing === 'full-refresh' ? 'full-refresh' : 'range'
}

function describeDataset(dataset: Dataset, scan: Scan): ManifestDataset {
  return {
    dataset: dataset.name,
    stream: dataset.stream,
    rowsOf: rowsOf(dataset),
    rows: scan.rows,
    order: [...dataset.order],
    columns: scan.columns.map(({ name, kind, type }) => ({ name, kind, type })),
    masked: scan.columns.filter(column => column.masked).map(column => column.name),
    sums: scan.sums,
  }
}
