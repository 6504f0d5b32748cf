import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { toIso } from '../calendar/days.ts'
import { quoteName } from '../connectors/quote.ts'
import { TillageError, UsageError } from '../errors.ts'
import { RESTATEMENT } from './books/restatement.ts'
import { salesIn } from './books/sales.ts'
import type { BookedSale } from './books/sales.ts'
import { createScratch, writeBooks } from './books/write-books.ts'
import type { BooksOrder } from './books/write-books.ts'
import { writeRestatement } from './books/write-restatement.ts'
import type { RestatementOrder } from './books/write-restatement.ts'
import type { Dataset } from './dataset.ts'
import { datasetsOf, pickDatasets } from './datasets.ts'
import { explainFailure } from './failure.ts'
import { prepareJournal } from './journal/prepare-journal.ts'
import type { JournalDraft } from './journal/prepare-journal.ts'
import { isOfJournal, JOURNAL_DATASETS } from './journal/write-formats.ts'
import { lockRange } from './lock.ts'
import { exportName, FILE_FORMATS, folderOf, newestManifest, spanOf } from './manifest.ts'
import type { FileFormat, Manifest, ManifestFile, StoredManifest, StreamState } from './manifest.ts'
import { openMemory } from './memory.ts'
import type { GivenFile, Memory } from './memory.ts'
import { parquetWriter } from './parquet.ts'
import { prepareFiles } from './prepare-files.ts'
import type { FilePlan } from './prepare-files.ts'
import {
  decideRevision,
  fingerprint,
  isPresent,
  publishRevision,
  removeOrphans,
  statesOf,
} from './publish.ts'
import type { Decision, Draft } from './publish.ts'
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
  const memory = openMemory(order.databasePath)
  try {
    if (order.dryRun === true)
      return await inTemporaryFolder(order, { all, wanted, memory, report })
    mkdirSync(order.out, { recursive: true })
    const lock = await lockRange(order.out, `${order.store}_${spanOf(order.days)}`, () =>
      report({ phase: 'waiting' }),
    )
    const { workFolder } = lock
    try {
      rmSync(workFolder, { recursive: true, force: true })
      mkdirSync(workFolder)
      return await exportInto(order, { workFolder, all, wanted, memory, report })
    } finally {
      lock.release()
    }
  } catch (error) {
    throw explainFailure(error, order.out)
  } finally {
    memory?.close()
  }
}

/** What one run of an export works with. */
interface Run {
  workFolder: string
  all: readonly Dataset[]
  wanted: readonly Dataset[]
  memory: Memory | undefined
  report: (progress: ExportProgress) => void
}

async function inTemporaryFolder(
  order: ExportOrder,
  run: Omit<Run, 'workFolder'>,
): Promise<ExportResult> {
  const workFolder = mkdtempSync(join(tmpdir(), 'tillage-'))
  try {
    return await exportInto(order, { ...run, workFolder })
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}

async function exportInto(order: ExportOrder, run: Run): Promise<ExportResult> {
  const folder = folderOf(order.out, order)
  // Only with the lock: whoever had it before may have published, or died.
  const newest = newestManifest(order.out, order)
  refuseOtherPeople(order, newest)
  const { snapshot, states } = takeSnapshot(order, run)
  let prepared
  try {
    prepared = await prepare(order, run, { folder, newest, snapshot, states })
  } finally {
    snapshot.close()
  }
  const { decision, journal, numbered } = prepared
  if (order.dryRun !== true) {
    remember(order, run.memory, numbered, journal)
    publishRevision(run.workFolder, decision)
  }
  const current = order.dryRun === true ? newest : newestManifest(order.out, order)
  if (current === undefined && order.dryRun !== true)
    throw new Error('the manifest that was just written is not there')
  if (current !== undefined && order.dryRun !== true) run.memory?.rememberFiles(givenFiles(current))
  const asked = (current?.manifest.files ?? []).filter(file => isAsked(file, order, run.wanted))
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
    revision: Math.max(
      0,
      ...numbered
        .filter(({ stream }) => run.wanted.some(dataset => dataset.stream === stream))
        .map(({ revision }) => revision),
    ),
    published: decision.manifest !== undefined,
    ...(journal === undefined ? {} : { journal: journal.outcome }),
  }
}

function refuseOtherPeople(order: ExportOrder, newest: StoredManifest | undefined): void {
  const people = order.includePeople ?? false
  if (newest === undefined || newest.manifest.people === people) return
  throw new UsageError(
    `${order.out} holds this range ${people ? 'without' : 'with'} people, and one folder holds one kind only`,
    `give exports with people a folder of their own (--out)`,
  )
}

/** Numbers and postings come first: what is given out must be remembered, whatever happens then. */
function remember(
  order: ExportOrder,
  memory: Memory | undefined,
  numbered: readonly StreamState[],
  journal: JournalDraft | undefined,
): void {
  if (memory === undefined) return
  for (const { stream, revision, state } of numbered)
    memory.rememberState(order, stream, { revision, state })
  if (journal?.posting !== undefined)
    memory.post(order.store, order.days.from, { ...journal.posting, at: new Date().toISOString() })
}

interface State {
  folder: string
  newest: StoredManifest | undefined
  snapshot: Snapshot
  states: ReadonlyMap<string, string>
}

interface Prepared {
  decision: Decision
  numbered: readonly StreamState[]
  journal: JournalDraft | undefined
}

async function prepare(order: ExportOrder, run: Run, state: State): Promise<Prepared> {
  const { folder, newest, snapshot } = state
  const { workFolder, report } = run
  const data = await numberStates(order, run, state)
  if (order.dryRun !== true) {
    const names = [...run.all.map(({ name }) => name), RESTATEMENT, ...JOURNAL_DATASETS]
    removeOrphans(
      folder,
      order,
      names,
      data.map(({ revision }) => revision),
    )
  }
  const known = newest === undefined ? [] : statesOf(newest.manifest)
  const isNew = ({ stream, revision }: StreamState): boolean =>
    known.some(one => one.stream === stream && one.revision !== revision)
  const renewed = data.filter(isNew).map(({ stream }) => stream)
  const plan = planFiles(run, order.formats, newest?.manifest, renewed)
  const files = await prepareFiles(
    { workFolder, snapshot, people: order.includePeople ?? false, report },
    plan,
  )
  const numberOf = (stream: string): number =>
    data.find(one => one.stream === stream)?.revision ?? 0
  const journal = makeJournal(order, run, state, data)
  const numbered = data.map(one =>
    journal !== undefined && isBooked(order, one.stream)
      ? { ...one, revision: Math.max(one.revision, journal.revision) }
      : one,
  )
  report({ phase: 'publishing' })
  const draft: Draft = {
    header: headerOf(order),
    states: numbered,
    renewed: [...renewed, ...(journal?.renewed ?? [])],
    datasets: [...files.datasets, ...(journal?.datasets ?? [])],
    files: [
      ...files.files.map(file => ({
        ...file,
        revision: numberOf(run.all.find(({ name }) => name === file.dataset)!.stream),
      })),
      ...(journal?.files ?? []),
    ],
  }
  const decision = decideRevision(draft, folder, newest, file => isPresent(folder, file))
  const books = renewed.some(stream => isBooked(order, stream))
  return {
    decision: books ? await addRestatement(order, run, state, decision) : decision,
    numbered,
    journal,
  }
}

const isBooked = ({ streams }: ExportOrder, name: string): boolean =>
  streams.some(stream => stream.name === name && stream.bookedAt !== undefined)

function headerOf(order: ExportOrder): Draft['header'] {
  return {
    tool: order.tool,
    writer: parquetWriter(),
    store: order.store,
    days: { from: order.days.from, to: order.days.to },
    range: { start: toIso(order.range.startMs), end: toIso(order.range.endMs) },
    ...(order.books === undefined ? {} : { books: describeBooks(order.books) }),
    people: order.includePeople ?? false,
    proof: order.proof ?? null,
  }
}

/**
 * The number of each state: that of the newest one that is known, in the database or in the folder,
 * if it is the same; else the next. Where only files tell of the newest, from before states were
 * known, it is compared with them.
 */
async function numberStates(order: ExportOrder, run: Run, state: State): Promise<StreamState[]> {
  const { newest, states } = state
  const numbered: StreamState[] = []
  for (const [stream, now] of states) {
    const remembered = run.memory?.newestState(order, stream)
    const given = newest && statesOf(newest.manifest).find(one => one.stream === stream)
    const last = (remembered?.revision ?? -1) >= (given?.revision ?? -1) ? remembered : given
    let revision = last?.revision ?? 0
    if (last !== undefined && last.state !== now) {
      const isSame = last.state === '' && !(await differsFromFiles(order, run, state, stream))
      if (!isSame) revision++
    }
    numbered.push({ stream, revision, state: now })
  }
  return numbered
}

/** Whether the rows of a stream are others than those that were given out. */
async function differsFromFiles(
  order: ExportOrder,
  run: Run,
  { newest, snapshot }: State,
  stream: string,
): Promise<boolean> {
  const rows = await writeRestatement(
    snapshot,
    run.all.filter(dataset => dataset.stream === stream && isCompared(dataset, order)),
    restatementOrder(order, newest!, newest!.manifest.revision),
    join(run.workFolder, 'compared.csv'),
  )
  return rows > 0
}

/** Not what only repeats the record beside the books. */
const isCompared = (dataset: Dataset, order: ExportOrder): boolean =>
  !isBooked(order, dataset.stream) || dataset.columns.some(({ name }) => name === 'business_date')

function restatementOrder(
  { books }: ExportOrder,
  { folder, manifest }: StoredManifest,
  toRevision: number,
): RestatementOrder {
  return {
    folder,
    before: manifest,
    fromRevision: manifest.revision,
    toRevision,
    detectedAt: books?.editsKnownUntil ?? '',
    periodClosedThrough: books?.periodClosedThrough,
  }
}

function givenFiles({ folder, manifest }: StoredManifest): GivenFile[] {
  const { store, days } = manifest
  return manifest.files.map(({ path, dataset, format, revision, rows, sha256 }) => ({
    store,
    ...days,
    dataset,
    format,
    revision,
    addition: Number(/-(\d+)\.\w+$/.exec(path)?.[1] ?? 1),
    rows,
    sha256,
    path: resolve(folder, path),
  }))
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
 * What was asked for; of streams whose state is another, also what was given out of the state
 * before: files of one stream never disagree.
 */
function planFiles(
  { all, wanted }: Run,
  formats: readonly FileFormat[],
  newest: Manifest | undefined,
  renewed: readonly string[],
): FilePlan {
  const wasGiven = (dataset: Dataset, format: FileFormat): boolean =>
    renewed.includes(dataset.stream) &&
    (newest?.files.some(file => file.dataset === dataset.name && file.format === format) ?? false)
  return all
    .map(dataset => ({
      dataset,
      formats: FILE_FORMATS.filter(
        format =>
          (wanted.includes(dataset) && formats.includes(format)) || wasGiven(dataset, format),
      ),
    }))
    .filter(entry => entry.formats.length > 0)
}

/**
 * One state of the database, with the books of the order beside it if it asks for any; and a hash
 * of the state of each stream that is read.
 */
function takeSnapshot(
  order: ExportOrder,
  { workFolder, all, wanted, report }: Run,
): { snapshot: Snapshot; states: Map<string, string> } {
  const read = [...new Set(wanted.map(({ stream }) => stream))]
  const booked = order.streams.find(({ name }) => read.includes(name) && isBooked(order, name))
  const selection = { store: order.store, ...order.range }
  const scratchPath = join(workFolder, 'books.db')
  if (booked !== undefined) createScratch(scratchPath)
  const snapshot = openSnapshot(
    order.databasePath,
    selection,
    booked === undefined ? undefined : scratchPath,
  )
  const states = new Map<string, string>()
  try {
    for (const name of read.filter(one => one !== booked?.name))
      states.set(
        name,
        stateOf(
          snapshot,
          all.filter(({ stream }) => stream === name),
        ),
      )
    if (booked === undefined) return { snapshot, states }
    const { books, store, days } = order
    if (books === undefined)
      throw new Error('an export of booked transactions needs to know their business days')
    const toWrite = { scratchPath, stream: booked, store, days, books }
    states.set(
      booked.name,
      writeBooks(snapshot.database, toWrite, rows => report({ phase: 'reading', rows })),
    )
    return { snapshot, states }
  } catch (error) {
    snapshot.close()
    throw error
  }
}

/** The sha256 of all rows of a stream's datasets. */
function stateOf(snapshot: Snapshot, datasets: readonly Dataset[]): string {
  const state = createHash('sha256')
  for (const dataset of datasets) {
    const cells = dataset.columns.map(column => `r.${quoteName(column.name)}`)
    state.update(`\n${dataset.name}`)
    for (const row of snapshot.values(dataset, `json_array(${cells.join(', ')})`)) state.update(row)
  }
  return state.digest('hex')
}

/** The day's journal, of the same state of the database as the books. */
function makeJournal(
  { books, days, journal, store, streams }: ExportOrder,
  { workFolder, memory }: Run,
  { newest, snapshot }: State,
  numbered: readonly StreamState[],
): JournalDraft | undefined {
  const booked = streams.find(({ bookedAt }) => bookedAt !== undefined)
  if (journal === undefined || books === undefined || booked === undefined) return undefined
  const sales = (): Iterable<BookedSale> => salesIn(snapshot.database, booked, store, books.read)
  const revision = numbered.find(({ stream }) => stream === booked.name)!.revision
  const businessDate = days.from
  return prepareJournal(sales, journal, {
    store,
    businessDate,
    workFolder,
    newest,
    memory,
    revision,
  })
}

/** A revision of the books says what it changes. */
async function addRestatement(
  order: ExportOrder,
  { workFolder, all }: Run,
  { newest, snapshot }: State,
  decision: Decision,
): Promise<Decision> {
  const { manifest, moves } = decision
  if (manifest === undefined || newest === undefined) return decision
  const books = all.filter(dataset => isBooked(order, dataset.stream) && isCompared(dataset, order))
  const from = join(workFolder, `${RESTATEMENT}.csv`)
  const { revision } = manifest.states.find(({ stream }) => isBooked(order, stream))!
  const rows = await writeRestatement(
    snapshot,
    books,
    restatementOrder(order, newest, revision),
    from,
  )
  if (rows === 0) return decision
  const name = exportName(RESTATEMENT, order, { revision, addition: 1 }, 'csv')
  const file = {
    path: name,
    dataset: RESTATEMENT,
    format: 'csv' as const,
    rows,
    ...fingerprint(from),
    revision,
  }
  return {
    ...decision,
    manifest: { ...manifest, files: [...manifest.files, file] },
    moves: [...moves, { from, name }],
  }
}

function describeBooks({ clock, range, editsKnownUntil }: BooksOrder): Manifest['books'] {
  return { ...clock, start: toIso(range.startMs), end: toIso(range.endMs), editsKnownUntil }
}
