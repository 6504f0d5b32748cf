import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Snapshot } from '../../connectors/destination/snapshot.ts'
import { sumOf } from '../../money/decimal-totals.ts'
import type { Dataset } from '../dataset.ts'
import { exportColumns, exportRows } from '../export-rows.ts'
import type { ExportColumn, FormatWriter, WrittenFile } from '../formats/format.ts'
import { formatOf } from '../formats/formats.ts'
import type { FileFormat } from '../formats/formats.ts'
import type { BeyondType, ExportProgress } from '../request.ts'
import type { PreparedFile } from './decide-revision.ts'
import type { ManifestDataset } from './manifest.ts'
import { fingerprint } from './publish.ts'

export type FilePlan = readonly { dataset: Dataset; formats: FileFormat[] }[]

/** Where files come from, and where they are prepared. */
export interface FileSource {
  workFolder: string
  snapshot: Snapshot
  /** Whether columns that tell who somebody is are written. */
  people: boolean
  /** Whether CSV begins with a byte order mark. */
  bom: boolean
  /** In which XLSX shows times. */
  timeZone: string
  report: (progress: ExportProgress) => void
  /** What else there is to do while files are written aside. */
  meanwhile: () => Promise<void>
}

export interface PreparedFiles {
  datasets: ManifestDataset[]
  files: PreparedFile[]
  beyondType: BeyondType[]
}

interface WrittenDataset {
  described: ManifestDataset
  files: { format: FileFormat; path: string; facts: WrittenFile }[]
}

type Writers = ReadonlyMap<FileFormat, FormatWriter>

/**
 * Reads every dataset once, from one snapshot, and writes all of its files from that, without final
 * names.
 */
export async function prepareFiles(source: FileSource, plan: FilePlan): Promise<PreparedFiles> {
  const writers = new Map<FileFormat, FormatWriter>()
  try {
    for (const format of new Set(plan.flatMap(({ formats }) => formats)))
      writers.set(format, await formatOf(format).open(source.workFolder))
    const written = await writeDatasets(source, plan, writers)
    for (const writer of writers.values()) await writer.end()
    return describe(written)
  } finally {
    for (const writer of writers.values()) await writer.close()
  }
}

/** Once the first dataset is written, the others are, beside what else there is to do. */
async function writeDatasets(
  source: FileSource,
  [first, ...others]: FilePlan,
  writers: Writers,
): Promise<WrittenDataset[]> {
  const written = first === undefined ? [] : [await writeDataset(source, first, writers)]
  const writeOthers = async (): Promise<void> => {
    for (const entry of others) written.push(await writeDataset(source, entry, writers))
  }
  // Where one fails, what both use stays open until the other has ended.
  const ends = await Promise.allSettled([writeOthers(), source.meanwhile()])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return written
}

async function writeDataset(
  { workFolder, snapshot, people, bom, timeZone, report }: FileSource,
  { dataset, formats }: FilePlan[number],
  writers: Writers,
): Promise<WrittenDataset> {
  const { name } = dataset
  const columns = exportColumns(dataset, people)
  const step = (rows: number): void => report({ phase: 'writing', dataset: name, rows })
  const again = () => exportRows(snapshot, dataset, columns, false)
  const open = formats.map(format => {
    const path = join(workFolder, `${name}.${format}`)
    const file = { path, name, columns, bom, timeZone, rows: again, step }
    return { format, path, sink: writers.get(format)!.begin(file) }
  })
  step(0)
  let rows = 0
  for await (const batch of exportRows(snapshot, dataset, columns, true)) {
    for (const row of batch) for (const { sink } of open) sink.add(row)
    rows += batch.length
    step(rows)
    // Messages are sent in a turn of the event loop.
    await setImmediate()
  }
  const files: WrittenDataset['files'] = []
  for (const { sink, ...file } of open) files.push({ ...file, facts: await sink.finish() })
  return { described: describeDataset(dataset, columns, rows), files }
}

const describe = (written: readonly WrittenDataset[]): PreparedFiles => ({
  datasets: written.map(({ described }) => described),
  files: written.flatMap(({ described: { dataset, rows }, files }) =>
    files.map(({ format, path, facts: { beyondType: _told, ...facts } }) => ({
      preparedPath: path,
      dataset,
      format,
      rows,
      ...fingerprint(path),
      ...facts,
    })),
  ),
  beyondType: written.flatMap(({ described: { dataset }, files }) =>
    files.flatMap(({ facts }) => (facts.beyondType ?? []).map(one => ({ dataset, ...one }))),
  ),
})

function rowsOf({ relation, windowing }: Dataset): ManifestDataset['rowsOf'] {
  if (relation !== undefined) return 'business_day'
  return windowing === 'full-refresh' ? 'full-refresh' : 'range'
}

const describeDataset = (
  dataset: Dataset,
  columns: readonly ExportColumn[],
  rows: number,
): ManifestDataset => ({
  dataset: dataset.name,
  stream: dataset.stream,
  rowsOf: rowsOf(dataset),
  rows,
  order: [...dataset.order],
  columns: columns.map(({ name, kind, type }) => ({ name, kind, type })),
  masked: columns.filter(({ masked }) => masked).map(({ name }) => name),
  sums: Object.fromEntries(
    columns.flatMap(({ name, totals }) => (totals === undefined ? [] : [[name, sumOf(totals)]])),
  ),
})
