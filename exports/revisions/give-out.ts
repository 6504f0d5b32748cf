import { basename, join, resolve } from 'node:path'
import { PROMISED } from '../../connectors/destination/given-out.ts'
import type { GivenFile } from '../../connectors/destination/given-out.ts'
import type { ObjectPlace } from '../../objects/place.ts'
import type { Lacking } from '../../objects/range.ts'
import { sha256Of } from '../../sha256.ts'
import { datasetsOf } from '../datasets.ts'
import type { PostingHistory } from '../posting-history.ts'
import { describeBeyondType } from '../request.ts'
import type { BeyondType, ExportOrder } from '../request.ts'
import { bookedIn } from '../run.ts'
import type { ExportRun } from '../run.ts'
import type { Decision } from './decide-revision.ts'
import { exportName, filesOf, manifestText, newestManifest } from './manifest.ts'
import type { StoredManifest } from './manifest.ts'
import { openToOthers } from './permissions.ts'
import type { PreparedRevision } from './prepare-revision.ts'
import { publishRevision } from './publish.ts'
import type { PreparedManifest } from './publish.ts'

/** The newest reading that a revision holds. */
interface SeenReading {
  batch: number
}

/** What the bucket lacks of what was given out before; undefined: there is no bucket. */
interface FoundLacking {
  lacking: Lacking | undefined
}

/**
 * Names, numbers and postings come first: what is given out must be remembered, whatever happens
 * then. Names before postings: the manifest's name tells that what was posted is in no file yet.
 */
export async function giveOut(
  order: ExportOrder,
  { workFolder, history }: ExportRun,
  prepared: PreparedRevision & SeenReading & FoundLacking,
): Promise<StoredManifest> {
  const { decision, beyondType, lacking } = prepared
  const forgetNames = await rememberNames(history, prepared)
  try {
    await rememberStates(order, history, prepared)
    await noteBeyondType(order, history, beyondType)
  } catch (error) {
    // What kept the one from being written may keep the other.
    await forgetNames().catch(() => {})
    throw error
  }
  let mayLieInBucket = false
  await publishRevision(workFolder, decision, {
    async give(manifest) {
      if (order.objects === undefined) return
      mayLieInBucket = true
      await giveToBucket(order.objects, decision, { manifest, lacking })
    },
    // What was sent may have arrived though its answer did not: that is remembered.
    withdraw: async () => (mayLieInBucket ? undefined : forgetNames()),
  })
  openToOthers(order, decision.folder)
  const current = newestManifest(order.out, order)
  if (current === undefined) throw new Error('the manifest that was just written is not there')
  const { folder, name, sha256 } = current
  await history.rememberFiles([...filesOf(current), givenManifest(current)])
  await history.keepManifest({ folder: resolve(folder), name, sha256 })
  if (prepared.journal?.outcome.held === false) await history.keepPromises(order)
  return current
}

async function giveToBucket(
  objects: ObjectPlace,
  { folder, moves }: Decision,
  { manifest, lacking }: FoundLacking & { manifest: PreparedManifest | undefined },
): Promise<void> {
  const { giveRange, NOTHING_LACKS } = await import('../../objects/range.ts')
  await giveRange(objects, {
    files: moves.map(({ name, sha256 }) => ({ path: join(folder, name), sha256 })),
    lacking: lacking ?? NOTHING_LACKS,
    manifest: manifest && {
      path: join(folder, manifest.name),
      from: manifest.preparedPath,
      sha256: manifest.sha256,
    },
  })
}

/**
 * Answers how to forget the names where nothing could be given out. That of a manifest that has to
 * name what was posted stays: until a journal of the day is given out, what was posted is in no
 * file.
 */
async function rememberNames(
  history: PostingHistory,
  { decision: { folder, manifest }, journal }: PreparedRevision,
): Promise<() => Promise<void>> {
  if (manifest === undefined) return async () => {}
  const isPosting = journal?.posting !== undefined
  const known = await history.givenIn(folder)
  await keepPrevious(history, { folder, manifest }, known)
  const files = filesOf({ folder, manifest })
  const sha256 = sha256Of(manifestText(manifest))
  const listed = givenManifest({ folder, manifest, sha256 })
  await history.rememberFiles([...files, isPosting ? { ...listed, format: PROMISED } : listed])
  const added = [...files, ...(isPosting ? [] : [listed])]
    .map(({ path }) => path)
    .filter(path => !known.has(basename(path)))
  return () => history.forgetFiles(added)
}

/** An export that died after its manifest had its name did not come to tell the audit log. */
async function keepPrevious(
  history: PostingHistory,
  { folder, manifest }: Pick<StoredManifest, 'folder' | 'manifest'>,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const { previous } = manifest
  if (previous === null || known.get(previous.path) !== previous.sha256) return
  await history.keepManifest({
    folder: resolve(folder),
    name: previous.path,
    sha256: previous.sha256,
  })
}

function givenManifest({
  folder,
  manifest,
  sha256,
}: Pick<StoredManifest, 'folder' | 'manifest' | 'sha256'>): GivenFile {
  const { store, days, revision, addition, files } = manifest
  return {
    store,
    ...days,
    dataset: 'manifest',
    format: 'json',
    revision,
    addition,
    rows: files.length,
    sha256,
    path: resolve(folder, exportName('manifest', manifest, manifest, 'json')),
  }
}

/** Under which number each stream's rows were given out, and what was posted. */
async function rememberStates(
  order: ExportOrder,
  history: PostingHistory,
  { numbered, journal, batch }: PreparedRevision & SeenReading,
): Promise<void> {
  for (const { stream, revision, state } of numbered)
    await history.rememberState(order, stream, { revision, state })
  if (journal === undefined || journal.outcome.held) return
  const { store, days, books } = order
  if (journal.posting !== undefined) {
    await history.accept(store, days.from, journal.accepted)
    await history.post(store, days.from, { ...journal.posting, at: new Date().toISOString() })
    await noteFromFiles(order, history, journal.fromFiles)
  }
  // Last: a day is as it was posted only once it is.
  await history.rememberPosted(store, { day: days.from, batch, ...books!.clock })
}

async function noteFromFiles(
  order: ExportOrder,
  history: PostingHistory,
  numbers: readonly string[],
): Promise<void> {
  if (numbers.length === 0) return
  const { store, days } = order
  const stream = bookedIn(order)!.name
  const detail = `${days.from}: ${numbers.join(', ')}`
  await history.noteFindings({ store, stream, readAt: new Date().toISOString() }, [
    { code: 'journal_from_files', path: days.from, detail },
  ])
}

async function noteBeyondType(
  { store, streams }: ExportOrder,
  history: PostingHistory,
  beyondType: readonly BeyondType[],
): Promise<void> {
  const datasets = datasetsOf(streams)
  for (const { dataset, column, type, values } of beyondType) {
    const { stream } = datasets.find(({ name }) => name === dataset)!
    await history.noteFindings({ store, stream, readAt: new Date().toISOString() }, [
      {
        code: 'decimal_beyond_type',
        path: `${dataset}.${column}`,
        detail: `${describeBeyondType({ dataset, column, type, values })}; their exact digits are in exact_decimals`,
      },
    ])
  }
}
