import { toIso } from '../../calendar/days.ts'
import type { Dataset } from '../dataset.ts'
import { FILE_FORMATS } from '../formats/formats.ts'
import type { FileFormat } from '../formats/formats.ts'
import { parquetWriter } from '../formats/parquet.ts'
import { prepareJournal } from '../journal/prepare-journal.ts'
import type { JournalDraft } from '../journal/prepare-journal.ts'
import { IMPORTED_DATASETS, JOURNAL_DATASETS } from '../journal/write-formats.ts'
import { zoneOfSheets } from '../request.ts'
import type { ExportOrder } from '../request.ts'
import { bookedIn, isBooked } from '../run.ts'
import type { ExportFacts, ExportRun } from '../run.ts'
import type { BooksOrder } from '../sales/books-order.ts'
import { RESTATEMENT } from '../sales/restatement.ts'
import { allSales } from '../sales/sales.ts'
import { decideRevision, numberManifest } from './decide-revision.ts'
import type { Decision, Draft } from './decide-revision.ts'
import type { Manifest, StreamState } from './manifest.ts'
import { prepareFiles } from './prepare-files.ts'
import type { FilePlan, PreparedFiles } from './prepare-files.ts'
import { removeOrphans } from './publish.ts'
import { addRestatement, numberStates } from './restate.ts'

/** Everything that a revision needs, before anything of it is given out. */
export interface PreparedRevision extends Pick<PreparedFiles, 'beyondType'> {
  decision: Decision
  numbered: readonly StreamState[]
  journal: JournalDraft | undefined
}

/** Numbers what was found, writes its files without final names, and decides what that makes. */
export async function prepareRevision(
  order: ExportOrder,
  run: ExportRun,
  found: ExportFacts,
): Promise<PreparedRevision> {
  const { folder, newest, present, snapshot } = found
  const { workFolder, report } = run
  const data = await numberStates(order, run, found)
  if (order.dryRun !== true) removeLeftOvers(order, run, folder, data)
  const renewed = renewedStreams(newest?.manifest, data)
  const people = order.includePeople ?? false
  const plan = planFiles(run, order.formats, newest?.manifest, renewed)
  const files = await prepareFiles(
    {
      workFolder,
      snapshot,
      people,
      bom: order.bom ?? true,
      timeZone: zoneOfSheets(order),
      report,
      meanwhile: found.meanwhile,
    },
    plan,
  )
  const journal = await makeJournal(order, run, found, data)
  report({ phase: 'publishing' })
  const writer = await parquetWriter()
  const draft = draftOf(order, run, { data, renewed, files, journal, writer })
  const given = await namesGiven(order, run, folder)
  const decided = decideRevision(draft, { folder, newest, present, given })
  const books = renewed.some(stream => isBooked(order, stream))
  const whole = books ? await addRestatement(order, run, found, decided) : decided
  const decision = numberManifest(whole, given)
  return { decision, numbered: draft.states, journal, beyondType: files.beyondType }
}

/** Names and their bytes in the folder; of journals in any: importers know a file by its name. */
async function namesGiven(
  order: ExportOrder,
  { history }: ExportRun,
  folder: string,
): Promise<Map<string, string>> {
  const imported =
    order.journal === undefined ? [] : await history.givenOf(order, IMPORTED_DATASETS)
  return new Map([...imported, ...(await history.givenIn(folder))])
}

interface Parts {
  data: readonly StreamState[]
  renewed: readonly string[]
  files: PreparedFiles
  journal: JournalDraft | undefined
  writer: string
}

const draftOf = (
  order: ExportOrder,
  run: ExportRun,
  { data, renewed, files, journal, writer }: Parts,
): Draft => ({
  header: headerOf(order, writer),
  states: data.map(one => (isBooked(order, one.stream) ? atLeast(journal?.revision, one) : one)),
  renewed: [...renewed, ...(journal?.renewed ?? [])],
  replaced: journal?.replaced ?? [],
  booked: bookedIn(order)?.name,
  datasets: [...files.datasets, ...(journal?.datasets ?? [])],
  files: [...numberFiles(run, files, data), ...(journal?.files ?? [])],
})

const atLeast = (revision: number | undefined, state: StreamState): StreamState => ({
  ...state,
  revision: Math.max(revision ?? 0, state.revision),
})

function removeLeftOvers(
  order: ExportOrder,
  { all }: ExportRun,
  folder: string,
  data: readonly StreamState[],
): void {
  const names = [...all.map(({ name }) => name), RESTATEMENT, ...JOURNAL_DATASETS]
  const numbers = data.map(({ revision }) => revision)
  removeOrphans(folder, order, names, numbers)
}

function renewedStreams(newest: Manifest | undefined, data: readonly StreamState[]): string[] {
  const known = newest?.states ?? []
  return data
    .filter(({ stream, revision }) =>
      known.some(one => one.stream === stream && one.revision !== revision),
    )
    .map(({ stream }) => stream)
}

/**
 * What was asked for; of streams whose state is another, also what was given out of the state
 * before: files of one stream never disagree.
 */
function planFiles(
  { all, wanted }: ExportRun,
  formats: readonly FileFormat[],
  newest: Manifest | undefined,
  renewed: readonly string[],
): FilePlan {
  const wasGiven = (dataset: Dataset, format: FileFormat): boolean =>
    renewed.includes(dataset.stream) &&
    (newest?.files.some(file => file.dataset === dataset.name && file.format === format) ?? false)
  const isWanted = (dataset: Dataset, format: FileFormat): boolean =>
    wanted.includes(dataset) && formats.includes(format)
  return all
    .map(dataset => ({
      dataset,
      formats: FILE_FORMATS.filter(
        format => isWanted(dataset, format) || wasGiven(dataset, format),
      ),
    }))
    .filter(entry => entry.formats.length > 0)
}

function numberFiles(
  { all }: ExportRun,
  { files }: PreparedFiles,
  data: readonly StreamState[],
): Draft['files'] {
  const streamOf = (dataset: string): string | undefined =>
    all.find(({ name }) => name === dataset)?.stream
  return files.map(file => ({
    ...file,
    revision: data.find(({ stream }) => stream === streamOf(file.dataset))?.revision ?? 0,
  }))
}

/** The day's journal, of the same state of the database as the books. */
async function makeJournal(
  order: ExportOrder,
  { workFolder, history }: ExportRun,
  { newest, snapshot }: ExportFacts,
  data: readonly StreamState[],
): Promise<JournalDraft | undefined> {
  const { books, days, journal, store } = order
  const booked = bookedIn(order)
  if (journal === undefined || books === undefined || booked === undefined) return undefined
  const sales = await allSales(snapshot, booked, books.read)
  const { revision } = data.find(({ stream }) => stream === booked.name)!
  const day = { store, businessDate: days.from, workFolder, newest, history, revision }
  return prepareJournal(sales, journal, day)
}

function headerOf(order: ExportOrder, writer: string): Draft['header'] {
  return {
    tool: order.tool,
    writer,
    store: order.store,
    days: { from: order.days.from, to: order.days.to },
    range: { start: toIso(order.range.startMs), end: toIso(order.range.endMs) },
    ...(order.currency === undefined ? {} : { currency: order.currency }),
    ...(order.books === undefined ? {} : { books: describeBooks(order.books) }),
    people: order.includePeople ?? false,
    proof: order.proof ?? null,
  }
}

function describeBooks(books: BooksOrder): Manifest['books'] {
  const { clock, range, editsKnownUntil, periodClosedThrough: closedThrough } = books
  const [start, end] = [toIso(range.startMs), toIso(range.endMs)]
  const closed = closedThrough === undefined ? {} : { closedThrough }
  return { ...clock, start, end, editsKnownUntil, ...closed }
}
