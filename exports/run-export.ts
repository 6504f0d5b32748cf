import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { toIso } from '../calendar/days.ts'
import { TillageError, UsageError } from '../errors.ts'
import { RESTATEMENT } from './books/restatement.ts'
import { salesIn } from './books/sales.ts'
import type { BookedSale } from './books/sales.ts'
import { createScratch, writeBooks } from './books/write-books.ts'
import type { BooksOrder } from './books/write-books.ts'
import { writeRestatement } from './books/write-restatement.ts'
import type { Dataset } from './dataset.ts'
import { datasetsOf, pickDatasets } from './datasets.ts'
import { explainFailure } from './failure.ts'
import { prepareJournal } from './journal/prepare-journal.ts'
import type { JournalDraft } from './journal/prepare-journal.ts'
import { isOfJournal, JOURNAL_DATASETS } from './journal/write-formats.ts'
import { lockRange } from './lock.ts'
import { exportName, FILE_FORMATS, newestManifest, spanOf } from './manifest.ts'
import type { FileFormat, Manifest, ManifestFile } from './manifest.ts'
import { parquetWriter } from './parquet.ts'
import { prepareFiles } from './prepare-files.ts'
import type { FilePlan } from './prepare-files.ts'
import {
  decideRevision,
  fingerprint,
  isPresent,
  publishRevision,
  removeOrphans,
} from './publish.ts'
import type { Decision } from './publish.ts'
import type { ExportOrder, ExportProgress, ExportResult } from './request.ts'
import { openSnapshot } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'

/** How the caller watches and stops a run. */
export interface RunControl {
  progress: (progress: ExportProgress) => void
  stopped: () => boolean
}

/** The whole export, in the thread that calls it. `exportFiles` calls it in a thread of its own. */
export async function runExport(order: ExportOrder, control: RunControl): Promise<ExportResult> {
  const report = (progress: ExportProgress): void => {
    if (control.stopped())
      throw new TillageError('INTERRUPTED', 'the export was stopped; nothing of it was kept', {
        remedy: 'run the same command again',
      })
    control.progress(progress)
  }
  const all = datasetsOf(order.streams)
  const wanted = pickDatasets(all, order.datasets)
  try {
    mkdirSync(order.out, { recursive: true })
    const lock = await lockRange(order.out, `${order.store}_${spanOf(order.days)}`, () =>
      report({ phase: 'waiting' }),
    )
    try {
      // Only now: whoever had the lock before may have published, or died.
      const newest = newestManifest(order.out, order.store, order.days)
      const names = [...all.map(dataset => dataset.name), RESTATEMENT, ...JOURNAL_DATASETS]
      rmSync(lock.workFolder, { recursive: true, force: true })
      removeOrphans(order.out, order.store, order.days, names, newest)
      mkdirSync(lock.workFolder)
      try {
        return await exportInto(lock.workFolder, order, all, wanted, newest, report)
      } catch (error) {
        // Files may have got their final names before the manifest failed to be written.
        removeOrphans(
          order.out,
          order.store,
          order.days,
          names,
          newestManifest(order.out, order.store, order.days),
        )
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
  const snapshot = takeSnapshot(workFolder, order, plan, report)
  let decision
  let journal: JournalDraft | undefined
  try {
    const prepared = await prepareFiles(workFolder, snapshot, plan, people, report)
    journal = makeJournal(workFolder, order, snapshot, newest)
    report({ phase: 'publishing' })
    const draft = {
      header,
      streams: [...streams, ...(journal?.streams ?? [])],
      datasets: [...prepared.datasets, ...(journal?.datasets ?? [])],
      files: [...prepared.files, ...(journal?.files ?? [])],
    }
    decision = decideRevision(draft, newest, file => isPresent(order.out, file))
    if (decision.manifest !== undefined && newest !== undefined)
      decision = await addRestatement(workFolder, order, snapshot, plan, newest.manifest, decision)
  } finally {
    snapshot.close()
  }
  publishRevision(order.out, workFolder, decision)
  const current = newestManifest(order.out, order.store, order.days)
  if (current === undefined) throw new Error('the manifest that was just written is not there')
  const asked = current.manifest.files.filter(file => isAsked(file, order, wanted))
  return {
    files: asked.map(({ path, format, dataset, rows, bytes, sha256 }) => ({
      path: join(order.out, path),
      format,
      dataset,
      rows,
      bytes,
      sha256,
    })),
    manifest: join(order.out, current.name),
    revision: current.manifest.revision,
    published: decision.manifest !== undefined,
    ...(journal === undefined ? {} : { journal: journal.outcome }),
  }
}

function isAsked(
  { dataset, format }: ManifestFile,
  { formats, journal }: ExportOrder,
  wanted: readonly Dataset[],
): boolean {
  if (dataset === RESTATEMENT) return wanted.some(({ relation }) => relation !== undefined)
  if (journal !== undefined && isOfJournal(dataset, journal.formats)) return true
  return wanted.some(({ name }) => name === dataset) && formats.some(one => one === format)
}

/**
 * What was asked for, and what the newest revision holds of the same streams: see `decideRevision`.
 */
function planFiles(
  all: readonly Dataset[],
  wanted: readonly Dataset[],
  formats: readonly FileFormat[],
  newest: Manifest | undefined,
): { dataset: Dataset; formats: FileFormat[] }[] {
  const streams = new Set(wanted.map(dataset => dataset.stream))
  const plan = all.map(dataset => ({
    dataset,
    formats: FILE_FORMATS.filter(
      format =>
        (wanted.includes(dataset) && formats.includes(format)) ||
        (streams.has(dataset.stream) &&
          (newest?.files.some(file => file.dataset === dataset.name && file.format === format) ??
            false)),
    ),
  }))
  return plan.filter(entry => entry.formats.length > 0)
}

/** One state of the database, with the books of the order beside it if it asks for any. */
function takeSnapshot(
  workFolder: string,
  order: ExportOrder,
  plan: FilePlan,
  report: (progress: ExportProgress) => void,
): Snapshot {
  const booked = order.streams.find(stream =>
    plan.some(({ dataset }) => dataset.relation !== undefined && dataset.stream === stream.name),
  )
  if (booked === undefined)
    return openSnapshot(order.databasePath, { store: order.store, ...order.range })
  if (order.books === undefined)
    throw new Error('an export of booked transactions needs to know their business days')
  const scratchPath = join(workFolder, 'books.db')
  createScratch(scratchPath)
  const snapshot = openSnapshot(
    order.databasePath,
    { store: order.store, ...order.range },
    scratchPath,
  )
  try {
    writeBooks(snapshot.database, scratchPath, booked, order.store, order.days, order.books, rows =>
      report({ phase: 'reading', rows }),
    )
    return snapshot
  } catch (error) {
    snapshot.close()
    throw error
  }
}

/** The day's journal, of the same state of the database as the books. */
function makeJournal(
  workFolder: string,
  { books, days, journal, out, store, streams }: ExportOrder,
  snapshot: Snapshot,
  newest: Newest,
): JournalDraft | undefined {
  const booked = streams.find(({ bookedAt }) => bookedAt !== undefined)
  if (journal === undefined || books === undefined || booked === undefined) return undefined
  const sales = (): Iterable<BookedSale> => salesIn(snapshot.database, booked, store, books.read)
  return prepareJournal(sales, journal, { store, businessDate: days.from, out, workFolder, newest })
}

/** A revision of the books says what it changes. */
async function addRestatement(
  workFolder: string,
  order: ExportOrder,
  snapshot: Snapshot,
  plan: FilePlan,
  before: Manifest,
  decision: Decision,
): Promise<Decision> {
  const { manifest, moves } = decision
  // Not what only repeats the record beside the books.
  const books = plan
    .map(({ dataset }) => dataset)
    .filter(({ columns }) => columns.some(({ name }) => name === 'business_date'))
  if (manifest === undefined || order.books === undefined || books.length === 0) return decision
  const from = join(workFolder, `${RESTATEMENT}.csv`)
  const { editsKnownUntil: detectedAt, periodClosedThrough } = order.books
  const rows = await writeRestatement(
    snapshot,
    books,
    { folder: order.out, before, toRevision: manifest.revision, detectedAt, periodClosedThrough },
    from,
  )
  if (rows === 0) return decision
  const name = exportName(RESTATEMENT, order.store, spanOf(order.days), manifest.revision, 'csv')
  const file = {
    path: name,
    dataset: RESTATEMENT,
    format: 'csv' as const,
    rows,
    ...fingerprint(from),
    revision: manifest.revision,
  }
  return {
    manifest: { ...manifest, files: [...manifest.files, file] },
    moves: [...moves, { from, name }],
  }
}

function describeBooks({ clock, range, editsKnownUntil }: BooksOrder): Manifest['books'] {
  return { ...clock, start: toIso(range.startMs), end: toIso(range.endMs), editsKnownUntil }
}
