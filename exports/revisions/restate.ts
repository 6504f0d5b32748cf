import { join } from 'node:path'
import type { KnownState } from '../../connectors/destination/given-out.ts'
import type { Dataset } from '../dataset.ts'
import { zoneOfSheets } from '../request.ts'
import type { ExportOrder } from '../request.ts'
import { bookedIn, isBooked } from '../run.ts'
import type { ExportFacts, ExportRun } from '../run.ts'
import { RESTATEMENT } from '../sales/restatement.ts'
import { writeRestatement } from '../sales/write-restatement.ts'
import type { RestatementOrder } from '../sales/write-restatement.ts'
import { freeName } from './decide-revision.ts'
import type { Decision } from './decide-revision.ts'
import { exportName } from './manifest.ts'
import type { Manifest, StoredManifest, StreamState } from './manifest.ts'
import { fingerprint } from './publish.ts'

/**
 * The number of each state: that of the newest one that is known, in the database or in the folder,
 * if it is the same; else the next. Where only files tell of the newest, from before states were
 * known, it is compared with them.
 */
export async function numberStates(
  order: ExportOrder,
  run: ExportRun,
  found: ExportFacts,
): Promise<StreamState[]> {
  const numbered: StreamState[] = []
  for (const [stream, state] of found.states) {
    const last = await lastState(order, run, found, stream)
    const isSame =
      last === undefined ||
      last.state === state ||
      (last.state === '' && !(await differsFromFiles(order, run, found, stream)))
    const known = last?.revision ?? 0
    numbered.push({ stream, revision: isSame ? known : known + 1, state })
  }
  return numbered
}

/**
 * The newest that the database knows, or the folder. A number is remembered before it is given out:
 * of two that have it, the folder's was.
 */
async function lastState(
  order: ExportOrder,
  { history }: ExportRun,
  { newest }: ExportFacts,
  stream: string,
): Promise<KnownState | undefined> {
  const remembered = await history.newestState(order, stream)
  const given = newest?.manifest.states.find(one => one.stream === stream)
  return (remembered?.revision ?? -1) > (given?.revision ?? -1) ? remembered : given
}

/** Whether the rows of a stream are others than those that were given out. */
async function differsFromFiles(
  order: ExportOrder,
  run: ExportRun,
  { newest, snapshot }: ExportFacts,
  stream: string,
): Promise<boolean> {
  const rows = await writeRestatement(
    snapshot,
    comparedOf(order, run, newest!.manifest).filter(dataset => dataset.stream === stream),
    restatementOrder(order, newest!, newest!.manifest.revision),
    join(run.workFolder, 'compared.csv'),
  )
  return rows > 0
}

/**
 * The datasets whose rows tell what changed: not what only repeats the record beside the books, and
 * a book with the API's columns only where it was not given out without them.
 */
function comparedOf(order: ExportOrder, { all }: ExportRun, before: Manifest): Dataset[] {
  const given = before.files.map(({ dataset }) => dataset)
  return all.filter(dataset => {
    if (!isBooked(order, dataset.stream)) return true
    const isBook = dataset.columns.some(({ name }) => name === 'business_date')
    return isBook && (dataset.rawOf === undefined || !given.includes(dataset.rawOf))
  })
}

function restatementOrder(
  order: ExportOrder,
  { folder, manifest }: StoredManifest,
  toRevision: number,
): RestatementOrder {
  const { books, bom = true } = order
  const given = manifest.states.find(({ stream }) => isBooked(order, stream))
  return {
    booked: bookedIn(order),
    folder,
    before: manifest,
    fromRevision: given?.revision ?? manifest.revision,
    toRevision,
    detectedAt: books?.editsKnownUntil ?? '',
    periodClosedThrough: books?.periodClosedThrough,
    timeZone: manifest.books?.timeZone ?? zoneOfSheets(order),
    bom,
  }
}

/** A revision of the books says what it changes. */
export async function addRestatement(
  order: ExportOrder,
  run: ExportRun,
  { newest, snapshot }: ExportFacts,
  decision: Decision,
): Promise<Decision> {
  const { manifest, moves } = decision
  if (manifest === undefined || newest === undefined) return decision
  const books = comparedOf(order, run, newest.manifest).filter(({ stream }) =>
    isBooked(order, stream),
  )
  const from = join(run.workFolder, `${RESTATEMENT}.csv`)
  const { revision } = manifest.states.find(({ stream }) => isBooked(order, stream))!
  const changes = restatementOrder(order, newest, revision)
  const rows = await writeRestatement(snapshot, books, changes, from)
  if (rows === 0) return decision
  const print = fingerprint(from)
  const name = freeName(
    await run.history.givenIn(decision.folder),
    1,
    addition => exportName(RESTATEMENT, order, { revision, addition }, 'csv'),
    () => print.sha256,
  )
  const facts = { dataset: RESTATEMENT, format: 'csv', rows, revision } as const
  const file = { path: name, ...facts, ...print }
  return {
    ...decision,
    manifest: { ...manifest, files: [...manifest.files, file] },
    moves: [...moves, { from, name, sha256: print.sha256 }],
  }
}
