import { join } from 'node:path'
import type { WrittenBook } from '../books/spool.ts'
import type { Dataset } from '../dataset.ts'
import { writeCsv } from '../formats/csv.ts'
import type { FileJob } from '../formats/file-job.ts'
import { writeJsonl } from '../formats/jsonl.ts'
import { canReadItself, openParquetWriter, parquetWriter } from '../formats/parquet.ts'
import type { ParquetWriter } from '../formats/parquet.ts'
import type { BeyondType, ExportProgress } from '../request.ts'
import { describeRows, scanDataset } from '../scan.ts'
import type { Scan } from '../scan.ts'
import type { Snapshot } from '../snapshot.ts'
import type { PreparedFile } from './decide-revision.ts'
import type { FileFormat, ManifestDataset } from './manifest.ts'
import { fingerprint } from './publish.ts'

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
  /** What else there is to do while files are written aside. */
  meanwhile: () => void
}

export interface PreparedFiles {
  datasets: ManifestDataset[]
  files: PreparedFile[]
  beyondType: BeyondType[]
}

/** A file that is wanted, and what it is made from. */
interface PlannedFile {
  format: FileFormat
  job: FileJob
}

/**
 * Reads every dataset from one snapshot and writes its files, without final names. What can be
 * written beside this thread is, while it does everything else.
 */
export async function prepareFiles(source: FileSource, plan: FilePlan): Promise<PreparedFiles> {
  const scanned = plan.map(({ dataset, formats }) => ({
    dataset,
    formats,
    scan: scanFor(source, dataset),
  }))
  const planned = scanned.flatMap(({ dataset, formats, scan }) =>
    formats.map(format => ({ format, job: jobFor(source, dataset, scan, format) })),
  )
  return {
    datasets: scanned.map(({ dataset, scan }) => describeDataset(dataset, scan)),
    files: await writeFiles(source, planned),
    beyondType: scanned.flatMap(({ dataset, formats, scan }) =>
      formats.includes('parquet') ? findBeyondType(dataset, scan) : [],
    ),
  }
}

async function writeFiles(
  { workFolder, meanwhile }: FileSource,
  planned: readonly PlannedFile[],
): Promise<PreparedFile[]> {
  const parquet = planned.some(({ format }) => format === 'parquet')
    ? await openParquetWriter(workFolder)
    : undefined
  const aside = planned.filter(({ format, job }) => format === 'parquet' && canReadItself(job))
  const written = parquet?.writeAside(aside.map(({ job }) => job)) ?? Promise.resolve([])
  // It is awaited at the end; until then its failure is nobody's.
  written.catch(() => {})
  try {
    meanwhile()
    const done = new Map<PlannedFile, PreparedFile>()
    for (const file of planned)
      if (!aside.includes(file)) done.set(file, describeFile(file, await writeFile(file, parquet)))
    for (const [index, content] of (await written).entries())
      done.set(aside[index]!, describeFile(aside[index]!, content))
    return planned.map(file => done.get(file)!)
  } finally {
    await Promise.allSettled([written])
    parquet?.close()
  }
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
  xlsx: async (job: FileJob): Promise<void> => (await import('../formats/xlsx.ts')).writeXlsx(job),
} as const

/** Answers the hash of the rows where the format has one. */
async function writeFile(
  { format, job }: PlannedFile,
  parquet: ParquetWriter | undefined,
): Promise<string | undefined> {
  job.step(0)
  if (format === 'parquet') return parquet!.write(job)
  if (!job.isWritten) await WRITERS[format](job)
  return undefined
}

const describeFile = ({ format, job }: PlannedFile, content: string | undefined): PreparedFile => ({
  preparedPath: job.path,
  dataset: job.dataset.name,
  format,
  rows: job.scan.rows,
  ...fingerprint(job.path),
  ...(content === undefined ? {} : { writer: parquetWriter(), content }),
})

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
