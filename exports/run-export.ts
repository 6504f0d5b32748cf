import { hash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { keepShownBooks } from '../connectors/database.ts'
import type { GivenFile } from '../connectors/destination/given-out.ts'
import { makeFolder } from '../disk.ts'
import { TillageError, UsageError } from '../errors.ts'
import { RESTATEMENT } from './books/restatement.ts'
import { shownBooks } from './books/shown-books.ts'
import type { Dataset } from './dataset.ts'
import { datasetsOf, pickDatasets } from './datasets.ts'
import type { Decision } from './decide-revision.ts'
import { explainExportFailure } from './failure.ts'
import type { JournalDraft } from './journal/prepare-journal.ts'
import { isOfJournal, JOURNAL_DATASETS } from './journal/write-formats.ts'
import { lockRange } from './lock.ts'
import {
  additionOf,
  exportName,
  folderOf,
  manifestsIn,
  manifestText,
  newestManifest,
  spanOf,
} from './manifest.ts'
import type { Manifest, ManifestFile, StoredManifest, StreamState } from './manifest.ts'
import { openMemory } from './memory.ts'
import type { Memory } from './memory.ts'
import { prepareRevision } from './prepare-revision.ts'
import type { PreparedRevision } from './prepare-revision.ts'
import { publishRevision } from './publish.ts'
import type { BeyondType, ExportOrder, ExportProgress, ExportResult } from './request.ts'
import { bookedIn } from './run.ts'
import type { ExportRun } from './run.ts'
import { takeDatabaseSnapshot } from './take-snapshot.ts'
import type { TakenSnapshot } from './take-snapshot.ts'

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
  const memory = openMemory(order.databasePath, { readonly: order.dryRun === true })
  const run = { all, wanted, memory, report }
  try {
    return await (order.dryRun === true ? inTemporaryFolder(order, run) : withLocks(order, run))
  } catch (error) {
    throw explainExportFailure(error, order)
  } finally {
    memory.close()
  }
}

/**
 * Numbers and postings belong to the database, names to the folder: nobody else may be giving this
 * range out of the one, or into the other. Beside the database first, whichever folder it is for.
 */
async function withLocks(
  order: ExportOrder,
  run: Omit<ExportRun, 'workFolder'>,
): Promise<ExportResult> {
  makeFolder(order.out)
  const range = `${order.store}_${spanOf(order.days)}`
  const waiting = (): void => run.report({ phase: 'waiting' })
  const database = dirname(realpathSync(order.databasePath))
  const intoFolder = (): Promise<ExportResult> => withFolderLock(order, run, { range, waiting })
  if (database === realpathSync(order.out)) return intoFolder()
  const lock = await lockRange(database, range, waiting)
  try {
    return await intoFolder()
  } finally {
    lock.release()
  }
}

async function withFolderLock(
  order: ExportOrder,
  run: Omit<ExportRun, 'workFolder'>,
  { range, waiting }: { range: string; waiting: () => void },
): Promise<ExportResult> {
  const lock = await lockRange(order.out, range, waiting)
  const { workFolder } = lock
  try {
    rmSync(workFolder, { recursive: true, force: true })
    mkdirSync(workFolder)
    return await exportInto(order, { ...run, workFolder })
  } finally {
    lock.release()
  }
}

async function inTemporaryFolder(
  order: ExportOrder,
  run: Omit<ExportRun, 'workFolder'>,
): Promise<ExportResult> {
  const workFolder = mkdtempSync(join(tmpdir(), 'tillage-'))
  try {
    return await exportInto(order, { ...run, workFolder })
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}

async function exportInto(order: ExportOrder, run: ExportRun): Promise<ExportResult> {
  const folder = folderOf(order.out, order)
  // Only with the lock: whoever had it before may have published, or died.
  const newest = newestManifest(order.out, order)
  refuseOtherPeople(order, newest)
  const taken = await takeDatabaseSnapshot(order, run)
  let prepared
  try {
    prepared = await prepareRevision(order, run, { folder, newest, ...taken })
  } finally {
    taken.snapshot.close()
  }
  const current = order.dryRun === true ? newest : publish(order, run, prepared)
  if (order.dryRun !== true && taken.hasBooks) showToSql(order, taken)
  return describeResult(order, run, prepared, current)
}

function refuseOtherPeople(order: ExportOrder, newest: StoredManifest | undefined): void {
  const people = order.includePeople ?? false
  if (newest === undefined || newest.manifest.people === people) return
  throw new UsageError(
    `${order.out} holds this range ${people ? 'without' : 'with'} people, ` +
      'and one folder holds one kind only',
    `give exports with people a folder of their own (--out)`,
  )
}

/**
 * Numbers, postings and names come first: what is given out must be remembered, whatever happens
 * then.
 */
function publish(
  order: ExportOrder,
  { workFolder, memory }: ExportRun,
  { decision, numbered, journal, beyondType }: PreparedRevision,
): StoredManifest {
  remember(order, memory, numbered, journal)
  noteBeyondType(order, memory, beyondType)
  publishRevision(workFolder, decision, rememberNames(memory, decision))
  openToOthers(order, decision.folder)
  const current = newestManifest(order.out, order)
  if (current === undefined) throw new Error('the manifest that was just written is not there')
  memory.rememberFiles(givenFiles(current))
  return current
}

/** Answers how to forget them where they could not be given out. */
function rememberNames(memory: Memory, { folder, manifest }: Decision): () => void {
  if (manifest === undefined) return () => {}
  const known = memory.givenIn(folder)
  const files = [
    ...givenFiles({ folder, manifest }),
    givenManifest(folder, manifest, manifestText(manifest)),
  ]
  memory.rememberFiles(files)
  const added = files.map(({ path }) => path).filter(path => !known.has(basename(path)))
  return () => memory.forgetFiles(added)
}

function givenManifest(folder: string, manifest: Manifest, text: string): GivenFile {
  const { store, days, revision, addition, files } = manifest
  return {
    store,
    ...days,
    dataset: 'manifest',
    format: 'json',
    revision,
    addition,
    rows: files.length,
    sha256: hash('sha256', text),
    path: resolve(folder, exportName('manifest', manifest, manifest, 'json')),
  }
}

/**
 * Files with people stay their owner's alone, whatever the configuration says of the others. Every
 * run looks at all that was given out of the range: one before it may have died just before this.
 */
function openToOthers(order: ExportOrder, folder: string): void {
  const { out, mode, includePeople } = order
  if (mode === undefined || includePeople === true) return
  const manifests = manifestsIn(folder, order)
  const named = manifests.flatMap(({ manifest }) => manifest.files.map(({ path }) => path))
  for (const name of new Set([...named, ...manifests.map(manifest => manifest.name)]))
    giveMode(join(folder, name), mode)
  // Who may read may look into the folder, too.
  const folderMode = mode | ((mode & 0o444) >> 2)
  const root = resolve(out)
  for (let path = resolve(folder); ; path = dirname(path)) {
    giveMode(path, folderMode)
    if (path === root) return
  }
}

/**
 * What has its mode already may be another user's; what is gone need not be opened. A folder that
 * hands its group on to what is made in it (setgid) goes on doing so.
 */
function giveMode(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & PERMISSIONS) === mode) return
  chmodSync(path, mode | (found.mode & ~PERMISSIONS & 0o7777))
}

const PERMISSIONS = 0o777

/** The same rows for whoever asks the database itself. */
function showToSql(order: ExportOrder, { batch, scratchPaths }: TakenSnapshot): void {
  const { databasePath, store, days, books } = order
  const shown = shownBooks(bookedIn(order)!)
  const { clock } = books!
  keepShownBooks(databasePath, { books: shown, store, days, scratchPaths, batch, clock })
}

function remember(
  order: ExportOrder,
  memory: Memory,
  numbered: readonly StreamState[],
  journal: JournalDraft | undefined,
): void {
  for (const { stream, revision, state } of numbered)
    memory.rememberState(order, stream, { revision, state })
  if (journal?.posting === undefined) return
  const { store, days } = order
  memory.accept(store, days.from, journal.accepted)
  memory.post(store, days.from, { ...journal.posting, at: new Date().toISOString() })
}

function noteBeyondType(
  { store, streams }: ExportOrder,
  memory: Memory,
  beyondType: readonly BeyondType[],
): void {
  const datasets = datasetsOf(streams)
  for (const { dataset, column, type, values } of beyondType) {
    const { stream } = datasets.find(({ name }) => name === dataset)!
    memory.noteFindings({ store, stream, readAt: new Date().toISOString() }, [
      {
        code: 'decimal_beyond_type',
        path: `${dataset}.${column}`,
        detail:
          `${values} values of ${dataset}.${column} do not fit ${type}; ` +
          'their exact digits are in exact_decimals',
      },
    ])
  }
}

function givenFiles({
  folder,
  manifest,
}: Pick<StoredManifest, 'folder' | 'manifest'>): GivenFile[] {
  const { store, days } = manifest
  return manifest.files.map(({ path, dataset, format, revision, rows, sha256 }) => ({
    store,
    ...days,
    dataset,
    format,
    revision,
    addition: additionOf(path),
    rows,
    sha256,
    path: resolve(folder, path),
  }))
}

function describeResult(
  order: ExportOrder,
  { wanted }: ExportRun,
  { decision, numbered, journal, beyondType }: PreparedRevision,
  current: StoredManifest | undefined,
): ExportResult {
  const { folder } = decision
  const written = decision.moves.map(({ name }) => name)
  // A journal's files for other importers, too, where this run gave them out.
  const asked = (current?.manifest.files ?? []).filter(
    file =>
      isAsked(file, order, wanted) ||
      (JOURNAL_DATASETS.includes(file.dataset) && written.includes(file.path)),
  )
  const revisions = numbered
    .filter(({ stream }) => wanted.some(dataset => dataset.stream === stream))
    .map(({ revision }) => revision)
  return {
    files: asked.map(({ path, format, dataset, rows, bytes, sha256 }) => ({
      path: join(folder, path),
      format,
      dataset,
      rows,
      bytes,
      sha256,
    })),
    manifest: current === undefined ? '' : join(folder, current.name),
    revision: Math.max(0, ...revisions),
    beyondType,
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
