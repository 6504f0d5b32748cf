import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { toIso } from '../connectors/window.ts'
import { TillageError, UsageError } from '../errors.ts'
import { createScratch, writeBooks, type BooksOrder } from './books/write-books.ts'
import { writeCsv } from './csv.ts'
import { datasetsOf, pickDatasets } from './dataset.ts'
import type { Dataset } from './dataset.ts'
import { explainFailure } from './failure.ts'
import { writeJsonl } from './jsonl.ts'
import { lockRange } from './lock.ts'
import { FILE_FORMATS, newestManifest, spanOf } from './manifest.ts'
import type { FileFormat, Manifest, ManifestDataset } from './manifest.ts'
import { openParquetWriter, parquetWriter } from './parquet.ts'
import { decideRevision, fingerprint, isPresent, publishRevision, removeOrphans } from './publish.ts'
import type { PreparedFile } from './publish.ts'
import type { ExportOrder, ExportProgress, ExportResult } from './request.ts'
import { scanDataset } from './scan.ts'
import type { Scan } from './scan.ts'
import { openSnapshot } from './snapshot.ts'

/** How the outside watches and stops a run. */
export interface RunControl {
  progress: (progress: ExportProgress) => void
  stopped: () => boolean
}

/** The whole export, in the thread that calls it. `exportFiles` calls it in a thread of its own. */
export async function runExport(order: ExportOrder, control: RunControl): Promise<ExportResult> {
  const report = (progress: ExportProgress): void => {
    if (control.stopped()) throw new TillageError('INTERRUPTED', 'the export was stopped; nothing of it was kept', { remedy: 'run the same command again' })
    control.progress(progress)
  }
  const all = datasetsOf(order.streams)
  const wanted = pickDatasets(all, order.datasets)
  try {
    mkdirSync(order.out, { recursive: true })
    const lock = await lockRange(order.out, `${order.store}_${spanOf(order.days)}`, () => report({ phase: 'waiting' }))
    try {
      // Only now: whoever had the lock before may have published, or died.
      const newest = newestManifest(order.out, order.store, order.days)
      const names = all.map((dataset) => dataset.name)
      rmSync(lock.workFolder, { recursive: true, force: true })
      removeOrphans(order.out, order.store, order.days, names, newest)
      mkdirSync(lock.workFolder)
      try {
        return await exportInto(lock.workFolder, order, all, wanted, newest, report)
      } catch (error) {
        // Files may have got their final names before the manifest failed to be written.
        removeOrphans(order.out, order.store, order.days, names, newestManifest(order.out, order.store, order.days))
        throw error
      }
    } finally {
      lock.release()
    }
  } catch (error) {
    throw explainFailure(error, order.out)
  }
}

type Newest = ReturnType<typeof newestManifest>

async function exportInto(
  workFolder: string,
  order: ExportOrder,
  all: readonly Dataset[],
  wanted: readonly Dataset[],
  newest: Newest,
  report: (progress: ExportProgress) => void,
): Promise<ExportResult> {
  const people = order.includePeople ?? false
  if (newest !== undefined && newest.manifest.people !== people) {
    throw new UsageError(
      `${order.out} holds this range ${people ? 'without' : 'with'} people, and one folder holds one kind only`,
      `give exports with people a folder of their own (--out)`,
    )
  }
  const plan = planFiles(all, wanted, order.formats, newest?.manifest)
  const { datasets, files } = await prepareFiles(workFolder, order, plan, people, report)
  report({ phase: 'publishing' })
  const header = {
    tool: order.tool,
    writer: parquetWriter(),
    store: order.store,
    days: { from: order.days.from, to: order.days.to },
    range: { start: toIso(order.range.startMs), end: toIso(order.range.endMs) },
    ...(order.books === undefined ? {} : { books: describeBooks(order.books) }),
    people,
    proof: order.proof ?? null,
  }
  const streams = [...new Set(plan.map(({ dataset }) => dataset.stream))]
  const decision = decideRevision({ header, streams, datasets, files }, newest, (file) => isPresent(order.out, file))
  publishRevision(order.out, workFolder, decision)
  const current = newestManifest(order.out, order.store, order.days)
  if (current === undefined) throw new Error('the manifest that was just written is not there')
  const asked = current.manifest.files.filter((file) => wanted.some(({ name }) => name === file.dataset) && order.formats.includes(file.format))
  return {
    files: asked.map(({ path, format, dataset, rows, bytes, sha256 }) => ({ path: join(order.out, path), format, dataset, rows, bytes, sha256 })),
    manifest: join(order.out, current.name),
    revision: current.manifest.revision,
    published: decision.manifest !== undefined,
  }
}

/** What was asked for, and what the newest revision holds of the same streams: see `decideRevision`. */
function planFiles(all: readonly Dataset[], wanted: readonly Dataset[], formats: readonly FileFormat[], newest: Manifest | undefined): { dataset: Dataset; formats: FileFormat[] }[] {
  const streams = new Set(wanted.map((dataset) => dataset.stream))
  const plan = all.map((dataset) => ({
    dataset,
    formats: FILE_FORMATS.filter(
      (format) =>
        (wanted.includes(dataset) && formats.includes(format)) ||
        (streams.has(dataset.stream) && (newest?.files.some((file) => file.dataset === dataset.name && file.format === format) ?? false)),
    ),
  }))
  return plan.filter((entry) => entry.formats.length > 0)
}

/** Reads every dataset from one snapshot and writes its files, without final names. */
async function prepareFiles(
  workFolder: string,
  order: ExportOrder,
  plan: ReturnType<typeof planFiles>,
  people: boolean,
  report: (progress: ExportProgress) => void,
): Promise<{ datasets: ManifestDataset[]; files: PreparedFile[] }> {
  const booked = order.streams.find((stream) => plan.some(({ dataset }) => dataset.relation !== undefined && dataset.stream === stream.name))
  const scratchPath = booked === undefined ? undefined : join(workFolder, 'books.db')
  if (scratchPath !== undefined) createScratch(scratchPath)
  const snapshot = openSnapshot(order.databasePath, { store: order.store, ...order.range }, scratchPath)
  const parquet = plan.some(({ formats }) => formats.includes('parquet')) ? await openParquetWriter(workFolder) : undefined
  const datasets: ManifestDataset[] = []
  const files: PreparedFile[] = []
  try {
    if (booked !== undefined && scratchPath !== undefined) {
      if (order.books === undefined) throw new Error('an export of booked transactions needs to know their business days')
      writeBooks(snapshot.database, scratchPath, booked, order.store, order.days, order.books, (rows) => report({ phase: 'reading', rows }))
    }
    for (const { dataset, formats } of plan) {
      report({ phase: 'scanning', dataset: dataset.name, rows: 0 })
      const scan = scanDataset(snapshot, dataset, people, (rows) => report({ phase: 'scanning', dataset: dataset.name, rows }))
      datasets.push(describeDataset(dataset, scan))
      for (const format of formats) {
        const step = (rows: number): void => report({ phase: 'writing', dataset: dataset.name, format, rows })
        const preparedPath = join(workFolder, `${dataset.name}.${format}`)
        const facts = { preparedPath, dataset: dataset.name, format, rows: scan.rows }
        step(0)
        if (format === 'csv') await writeCsv(snapshot, dataset, scan.columns, preparedPath, step)
        else if (format === 'jsonl') await writeJsonl(snapshot, dataset, scan.columns, preparedPath, step)
        const content = format === 'parquet' ? await parquet?.write(snapshot, dataset, scan.columns, preparedPath, step) : undefined
        files.push({ ...facts, ...fingerprint(preparedPath), ...(content === undefined ? {} : { writer: parquetWriter(), content }) })
      }
    }
  } finally {
    parquet?.close()
    snapshot.close()
  }
  return { datasets, files }
}

function describeBooks({ clock, range, editsKnownUntil }: BooksOrder): Manifest['books'] {
  return { ...clock, start: toIso(range.startMs), end: toIso(range.endMs), editsKnownUntil }
}

function describeDataset(dataset: Dataset, scan: Scan): ManifestDataset {
  return {
    dataset: dataset.name,
    stream: dataset.stream,
    rowsOf: dataset.relation !== undefined ? 'business_day' : dataset.window === 'whole' ? 'whole' : 'range',
    rows: scan.rows,
    order: [...dataset.order],
    columns: scan.columns.map(({ name, kind, type }) => ({ name, kind, type: type ?? null })),
    masked: scan.columns.filter((column) => column.masked).map((column) => column.name),
    sums: scan.sums,
  }
}
