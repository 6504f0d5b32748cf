import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { inTemporaryFolder, makeFolder } from '../disk.ts'
import { TillageError, UsageError } from '../errors.ts'
import { inAddresses } from '../objects/in-addresses.ts'
import { addressOf } from '../objects/place.ts'
import type { ObjectPlace } from '../objects/place.ts'
import type { Lacking } from '../objects/range.ts'
import { datasetsOf, pickDatasets } from './datasets.ts'
import { describeResult } from './export-result.ts'
import { explainExportFailure } from './failure.ts'
import { lockRange } from './lock.ts'
import { openPostingHistory } from './posting-history.ts'
import type { PostingHistory } from './posting-history.ts'
import type { ExportOrder, ExportProgress, ExportResult } from './request.ts'
import { giveOut } from './revisions/give-out.ts'
import { folderOf, newestManifest, spanOf } from './revisions/manifest.ts'
import type { ManifestFile, StoredManifest } from './revisions/manifest.ts'
import { prepareRevision } from './revisions/prepare-revision.ts'
import { isPresent } from './revisions/publish.ts'
import type { ExportRun } from './run.ts'
import { takeSnapshot } from './take-snapshot.ts'
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
  await using kept = await openPostingHistory(order.database, { readonly: order.dryRun === true })
  const history = order.objects === undefined ? kept : inAddresses(kept, order.objects)
  const run = { all, wanted, history, report }
  try {
    return await (order.dryRun === true
      ? inTemporaryFolder(workFolder => exportInto(order, { ...run, workFolder }))
      : withLocks(order, run))
  } catch (error) {
    throw explainExportFailure(error, order)
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
  const lock = await lockDatabase(order, run.history, { range, waiting })
  try {
    return await withFolderLock(order, run, { range, waiting })
  } finally {
    await lock?.release()
  }
}

interface RangeToLock {
  range: string
  waiting: () => void
}

/** In the database where machines share it; undefined: the lock of the folder is the same file. */
async function lockDatabase(
  { localFiles, out }: ExportOrder,
  { lock }: PostingHistory,
  { range, waiting }: RangeToLock,
): Promise<{ release: () => void | Promise<void> } | undefined> {
  if (lock !== undefined) return lock(range, waiting)
  const beside = realpathSync(dirname(localFiles))
  return beside === realpathSync(out) ? undefined : lockRange(beside, range, waiting)
}

async function withFolderLock(
  order: ExportOrder,
  run: Omit<ExportRun, 'workFolder'>,
  { range, waiting }: RangeToLock,
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

/** So often a day is given out anew that another machine gave out at the same time. */
const MOST_TURNS = 4

/** Of a bucket: whoever comes second begins anew, with what the first has given out before him. */
async function exportInto(order: ExportOrder, run: ExportRun): Promise<ExportResult> {
  if (order.objects === undefined) return exportOnce(order, run)
  const { ObjectTaken } = await import('../objects/put.ts')
  const known = await run.history.givenIn(folderOf(order.out, order))
  const taken = new Map<string, string>()
  const history = {
    ...run.history,
    givenIn: async (folder: string) => new Map([...(await run.history.givenIn(folder)), ...taken]),
  }
  for (let turn = 1; ; turn++) {
    try {
      return await exportOnce(order, { ...run, history })
    } catch (error) {
      if (!(error instanceof ObjectTaken) || turn === MOST_TURNS) throw error
      const found = await learnTaken(order, run, known)
      for (const [name, sha256] of [...found, [basename(error.path), error.sha256] as const])
        taken.set(name, sha256)
      rmSync(run.workFolder, { recursive: true })
      mkdirSync(run.workFolder)
    }
  }
}

/**
 * What the bucket has of the range, by name. What this run has remembered under names that others
 * have there was not given out after all.
 */
async function learnTaken(
  order: ExportOrder,
  { history }: ExportRun,
  known: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const { learnRange } = await import('../objects/range.ts')
  const folder = folderOf(order.out, order)
  const found = await learnRange(order.objects!, folder)
  const ours = [...(await history.givenIn(folder))].filter(([name]) => !known.has(name))
  const ofOthers = ours.filter(([name, sha256]) => found.has(name) && found.get(name) !== sha256)
  await history.forgetFiles(ofOthers.map(([name]) => join(folder, name)))
  return found
}

async function exportOnce(order: ExportOrder, run: ExportRun): Promise<ExportResult> {
  const folder = folderOf(order.out, order)
  const lacking = order.objects && (await bringFromBucket(order, order.objects, run))
  // Only with the lock: whoever had it before may have published, or died.
  const newest = newestManifest(order.out, order)
  refuseOtherPeople(order, newest)
  const taken = await takeSnapshot(order, run)
  let prepared
  try {
    const meanwhile = (): Promise<void> => showToSql(order, taken)
    const present = (file: ManifestFile): boolean =>
      isPresent(folder, file) && !isLost(lacking, join(folder, file.path))
    const facts = { folder, newest, present, ...taken, meanwhile }
    prepared = await prepareRevision(order, run, facts)
  } finally {
    await taken.snapshot.close()
  }
  const { batch } = taken
  const current =
    order.dryRun === true ? newest : await giveOut(order, run, { ...prepared, batch, lacking })
  return describeResult(order, run, prepared, current)
}

/** Neither in the bucket nor here as it was given out: it is made anew. */
const isLost = (lacking: Lacking | undefined, path: string): boolean =>
  lacking?.files.some(file => file.path === path && !file.isHere) ?? false

/** Answers what the bucket lacks. */
async function bringFromBucket(
  order: ExportOrder,
  objects: ObjectPlace,
  { history, report }: ExportRun,
): Promise<Lacking> {
  report({ phase: 'asking the bucket' })
  const { bringRange } = await import('../objects/range.ts')
  const folder = folderOf(order.out, order)
  return bringRange(objects, folder, {
    given: await history.givenIn(folder),
    isLogged: async ({ name, sha256 }) =>
      (await history.manifests(0)).some(
        one =>
          one.folder === addressOf(objects, folder) && one.name === name && one.sha256 === sha256,
      ),
    newest: () => newestManifest(order.out, order)?.name,
  })
}

function refuseOtherPeople(order: ExportOrder, newest: StoredManifest | undefined): void {
  const people = order.includePeople ?? false
  if (newest === undefined || newest.manifest.people === people) return
  throw new UsageError(
    `${order.out} holds this range ${people ? 'without' : 'with'} people, ` +
      'and one folder holds one kind only',
    `Give exports with people a folder of their own (--out).`,
  )
}

/** The same rows for whoever asks the database itself. */
async function showToSql(
  { days, books, dryRun }: ExportOrder,
  { snapshot, batch }: TakenSnapshot,
): Promise<void> {
  if (books === undefined || dryRun === true) return
  await snapshot.books?.show({ days, batch, clock: books.clock })
}
