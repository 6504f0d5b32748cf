import { hash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import type { GivenFile } from '../../connectors/destination/given-out.ts'
import { datasetsOf } from '../datasets.ts'
import type { Memory } from '../memory.ts'
import type { BeyondType, ExportOrder } from '../request.ts'
import type { ExportRun } from '../run.ts'
import type { Decision } from './decide-revision.ts'
import { additionOf, exportName, manifestText, newestManifest } from './manifest.ts'
import type { Manifest, StoredManifest } from './manifest.ts'
import { openToOthers } from './permissions.ts'
import type { PreparedRevision } from './prepare-revision.ts'
import { publishRevision } from './publish.ts'

/** The newest reading that a revision holds. */
interface SeenReading {
  batch: number
}

/**
 * Numbers, postings and names come first: what is given out must be remembered, whatever happens
 * then.
 */
export function giveOut(
  order: ExportOrder,
  { workFolder, memory }: ExportRun,
  prepared: PreparedRevision & SeenReading,
): StoredManifest {
  const { decision, beyondType } = prepared
  rememberStates(order, memory, prepared)
  noteBeyondType(order, memory, beyondType)
  publishRevision(workFolder, decision, rememberNames(memory, decision))
  openToOthers(order, decision.folder)
  const current = newestManifest(order.out, order)
  if (current === undefined) throw new Error('the manifest that was just written is not there')
  memory.rememberFiles(givenFiles(current))
  const { folder, name, sha256 } = current
  memory.keepManifest({ folder: resolve(folder), name, sha256 })
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

/** Under which number each stream's rows were given out, and what was posted. */
function rememberStates(
  order: ExportOrder,
  memory: Memory,
  { numbered, journal, batch }: PreparedRevision & SeenReading,
): void {
  for (const { stream, revision, state } of numbered)
    memory.rememberState(order, stream, { revision, state })
  if (journal === undefined || journal.outcome.held) return
  const { store, days, books } = order
  if (journal.posting !== undefined) {
    memory.accept(store, days.from, journal.accepted)
    memory.post(store, days.from, { ...journal.posting, at: new Date().toISOString() })
  }
  // Last: a day is as it was posted only once it is.
  memory.rememberPosted(store, { day: days.from, batch, ...books!.clock })
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
