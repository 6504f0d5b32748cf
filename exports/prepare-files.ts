import { join } from 'node:path'
import { writeCsv } from './csv.ts'
import type { Dataset } from './dataset.ts'
import { writeJsonl } from './jsonl.ts'
import type { FileFormat, ManifestDataset } from './manifest.ts'
import { openParquetWriter, parquetWriter } from './parquet.ts'
import { fingerprint } from './publish.ts'
import type { PreparedFile } from './publish.ts'
import type { BeyondType, ExportProgress } from './request.ts'
import { scanDataset } from './scan.ts'
import type { Scan } from './scan.ts'
import type { Snapshot } from './snapshot.ts'
import { writeXlsx } from './xlsx.ts'

export type FilePlan = readonly { dataset: Dataset; formats: FileFormat[] }[]

/** Where files come from, and where they are prepared. */
export interface FileSource {
  workFolder: string
  snapshot: Snapshot
  /** Whether columns that tell who somebody is are written. */
  people: boolean
  report: (progress: ExportProgress) => void
}

export interface PreparedFiles {
  datasets: ManifestDataset[]
  files: PreparedFile[]
  beyondType: BeyondType[]
}

/** Reads every dataset from one snapshot and writes its files, without final names. */
export async function prepareFiles(
  { workFolder, snapshot, people, report }: FileSource,
  plan: FilePlan,
): Promise<PreparedFiles> {
  const parquet = plan.some(({ formats }) => formats.includes('parquet'))
    ? await openParquetWriter(workFolder)
    : undefined
  const datasets: ManifestDataset[] = []
  const files: PreparedFile[] = []
  const beyondType: BeyondType[] = []
  try {
    for (const { dataset, formats } of plan) {
      report({ phase: 'scanning', dataset: dataset.name, rows: 0 })
      const scan = scanDataset(snapshot, dataset, people, rows =>
        report({ phase: 'scanning', dataset: dataset.name, rows }),
      )
      datasets.push(describeDataset(dataset, scan))
      if (formats.includes('parquet')) beyondType.push(...findBeyondType(dataset, scan))
      for (const format of formats) {
        const step = (rows: number): void =>
          report({ phase: 'writing', dataset: dataset.name, format, rows })
        const preparedPath = join(workFolder, `${dataset.name}.${format}`)
        const facts = { preparedPath, dataset: dataset.name, format, rows: scan.rows }
        step(0)
        if (format === 'csv') await writeCsv(snapshot, dataset, scan.columns, preparedPath, step)
        else if (format === 'jsonl')
          await writeJsonl(snapshot, dataset, scan.columns, preparedPath, step)
        else if (format === 'xlsx') await writeXlsx(snapshot, dataset, scan, preparedPath, step)
        const content =
          format === 'parquet'
            ? await parquet?.write(snapshot, dataset, scan.columns, preparedPath, step)
            : undefined
        files.push({
          ...facts,
          ...fingerprint(preparedPath),
          ...(content === undefined ? {} : { writer: parquetWriter(), content }),
        })
      }
    }
  } finally {
    parquet?.close()
  }
  return { datasets, files, beyondType }
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

function describeDataset(dataset: Dataset, scan: Scan): ManifestDataset {
  return {
    dataset: dataset.name,
    stream: dataset.stream,
    rowsOf:
      dataset.relation !== undefined
        ? 'business_day'
        : dataset.windowing === 'full-refresh'
          ? 'full-refresh'
          : 'range',
    rows: scan.rows,
    order: [...dataset.order],
    columns: scan.columns.map(({ name, kind, type }) => ({ name, kind, type })),
    masked: scan.columns.filter(column => column.masked).map(column => column.name),
    sums: scan.sums,
  }
}
