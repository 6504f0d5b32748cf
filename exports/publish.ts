import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { RESTATEMENT } from './books/restatement.ts'
import {
  exportName,
  manifestsIn,
  manifestText,
  PUBLISHED_FORMATS,
  SCHEMA_VERSION,
  spanOf,
} from './manifest.ts'
import type {
  Manifest,
  ManifestDataset,
  ManifestFile,
  PublishedFormat,
  StoredManifest,
  StreamState,
} from './manifest.ts'

/** A finished file that has no final name yet. */
export interface PreparedFile {
  preparedPath: string
  dataset: string
  format: PublishedFormat
  rows: number
  bytes: number
  sha256: string
  writer?: string
  content?: string
  /** A word that its name has besides. */
  mark?: string
  /** Of a journal: the revision that it was given out for, which may be an earlier one. */
  revision?: number
}

/** What a manifest is made of, apart from what earlier ones say. */
export interface Draft {
  header: Pick<
    Manifest,
    'tool' | 'writer' | 'store' | 'days' | 'range' | 'books' | 'people' | 'proof'
  >
  /** The states that were read now, with their numbers. States of other streams are carried over. */
  states: readonly StreamState[]
  /** Streams of which nothing is carried over: all their files are made anew. */
  renewed: readonly string[]
  datasets: readonly ManifestDataset[]
  files: readonly (PreparedFile & { revision: number })[]
}

/** What has to be done to publish a draft. */
export interface Decision {
  folder: string
  /** `undefined`: the newest manifest holds all of it. */
  manifest: Manifest | undefined
  /**
   * From prepared paths to final names. Without a new manifest these only restore files that went
   * missing.
   */
  moves: ReadonlyArray<{ from: string; name: string }>
}

/**
 * Decides what a draft means for a range (INV-9). A revision is a state of the data, and its
 * manifests are the table of contents of the range:
 *
 * - Nothing differs from the newest manifest: there is no new one, nothing is rewritten; another
 *   proof alone is no difference.
 * - What is asked for the first time joins the revision of its state, with a manifest of its own.
 * - Files that did not change stay listed under the name that they have. No file that was given out
 *   is written over: other bytes under the same number get another name.
 * - Parquet from another writer version with the same content counts as unchanged.
 */
export function decideRevision(
  draft: Draft,
  folder: string,
  newest: StoredManifest | undefined,
  present: (file: ManifestFile) => boolean,
): Decision {
  const states = statesAfter(draft.states, newest?.manifest)
  const revision = Math.max(...states.map(one => one.revision))
  const addition = newest?.manifest.revision === revision ? newest.manifest.addition + 1 : 1
  const moves: { from: string; name: string }[] = []
  let changed = newest === undefined
  const files = draft.files.map((file): ManifestFile => {
    const { preparedPath, mark, ...facts } = file
    const known = knownFile(newest?.manifest, file)
    if (known !== undefined && isSame(known, file)) {
      if (!present(known)) moves.push({ from: preparedPath, name: known.path })
      return known
    }
    changed = true
    const nameOf = (one: number): string =>
      exportName(
        file.dataset,
        draft.header,
        { revision: file.revision, addition: one },
        mark === undefined ? file.format : `${mark}.${file.format}`,
      )
    const name = known?.revision === file.revision ? nameOf(addition) : nameOf(1)
    moves.push({ from: preparedPath, name })
    return { path: name, ...facts }
  })
  if (!changed) return { folder, manifest: undefined, moves }
  const { datasets: standing, files: given } = carriedOver(draft, newest?.manifest, revision)
  const manifest: Manifest = {
    manifest: 2,
    schema: SCHEMA_VERSION,
    tool: draft.header.tool,
    writer: draft.header.writer,
    store: draft.header.store,
    days: draft.header.days,
    range: draft.header.range,
    ...(draft.header.books === undefined ? {} : { books: draft.header.books }),
    revision,
    addition,
    states,
    people: draft.header.people,
    datasets: [...standing, ...draft.datasets],
    files: [...given, ...files],
    proof: draft.header.proof,
    previous: newest === undefined ? null : { path: newest.name, sha256: newest.sha256 },
  }
  return { folder, manifest, moves }
}

/** Of a journal's files, the one of the same revision; of others, the newest. */
function knownFile(
  newest: Manifest | undefined,
  file: Pick<PreparedFile, 'dataset' | 'format' | 'revision'>,
): ManifestFile | undefined {
  const known = (newest?.files ?? []).filter(
    ({ dataset, format }) => dataset === file.dataset && format === file.format,
  )
  return (
    known.find(({ revision }) => revision === file.revision) ??
    known.toSorted((a, b) => a.revision - b.revision).at(-1)
  )
}

function isSame(known: ManifestFile, file: PreparedFile): boolean {
  if (known.sha256 === file.sha256) return true
  return (
    known.content !== undefined && known.content === file.content && known.writer !== file.writer
  )
}

/** A manifest of before there were states has one number for all of its streams. */
export function statesOf(manifest: Manifest): StreamState[] {
  if (manifest.manifest === 2) return manifest.states
  const streams = [...new Set(manifest.datasets.map(({ stream }) => stream))]
  return streams.map(stream => ({ stream, revision: manifest.revision, state: '' }))
}

function statesAfter(now: readonly StreamState[], newest: Manifest | undefined): StreamState[] {
  const carried = newest === undefined ? [] : statesOf(newest)
  return [...carried.filter(({ stream }) => !now.some(one => one.stream === stream)), ...now]
}

/** What stays of the newest manifest. A list of changes belongs to the revision that made them. */
function carriedOver(
  draft: Draft,
  newest: Manifest | undefined,
  revision: number,
): Pick<Manifest, 'datasets' | 'files'> {
  const streamOf = (dataset: string): string =>
    newest?.datasets.find(one => one.dataset === dataset)?.stream ?? ''
  const isKept = ({ dataset }: { dataset: string }): boolean =>
    !draft.renewed.includes(streamOf(dataset))
  return {
    datasets: (newest?.datasets ?? []).filter(
      one => isKept(one) && !draft.datasets.some(({ dataset }) => dataset === one.dataset),
    ),
    files: (newest?.files ?? []).filter(one =>
      one.dataset === RESTATEMENT
        ? one.revision === revision
        : isKept(one) &&
          !draft.files.some(
            ({ dataset, format }) => dataset === one.dataset && format === one.format,
          ),
    ),
  }
}

/**
 * Gives files their final names and writes the manifest last: an export exists when its manifest
 * does (INV-9).
 */
export function publishRevision(workFolder: string, { folder, manifest, moves }: Decision): void {
  if (moves.length > 0 || manifest !== undefined) mkdirSync(folder, { recursive: true })
  try {
    for (const { from, name } of moves) renameSync(from, join(folder, name))
    if (moves.length > 0) syncFolder(folder)
    if (manifest === undefined) return
    const prepared = join(workFolder, 'manifest.json')
    writeFileSync(prepared, manifestText(manifest))
    fingerprint(prepared)
    renameSync(prepared, join(folder, exportName('manifest', manifest, manifest, 'json')))
    syncFolder(folder)
  } catch (error) {
    // No manifest names them, so they were never given out.
    if (manifest !== undefined)
      for (const { name } of moves) rmSync(join(folder, name), { force: true })
    throw error
  }
}

/**
 * Removes files that no manifest names, of numbers that are about to be given: a run died after it
 * renamed them and before it wrote that.
 */
export function removeOrphans(
  folder: string,
  range: Pick<Manifest, 'store' | 'days'>,
  datasets: readonly string[],
  numbers: readonly number[],
): void {
  if (!existsSync(folder)) return
  const named = new Set(
    manifestsIn(folder, range).flatMap(({ manifest }) => manifest.files.map(({ path }) => path)),
  )
  const numbered = /^r(\d+)(?:-\d+)?(?:\.[\w-]+)?\.(\w+)$/
  const isOurs = (name: string): boolean =>
    datasets.some(dataset => {
      const start = `${dataset}_${range.store}_${spanOf(range.days)}_`
      const [, revision, format] =
        (name.startsWith(start) && numbered.exec(name.slice(start.length))) || []
      return PUBLISHED_FORMATS.some(one => one === format) && numbers.includes(Number(revision))
    })
  for (const name of readdirSync(folder))
    if (!named.has(name) && isOurs(name)) rmSync(join(folder, name))
}

/** Whether a published file is there with its size; what is in it, `verifyManifest` finds out. */
export function isPresent(folder: string, file: ManifestFile): boolean {
  return statSync(join(folder, file.path), { throwIfNoEntry: false })?.size === file.bytes
}

/** Size and sha256 of a file that by then is safely on the disk. */
export function fingerprint(path: string): { bytes: number; sha256: string } {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    return hashOpenFile(file)
  } finally {
    closeSync(file)
  }
}

/** Reads an open file to its end, a megabyte at a time. */
export function hashOpenFile(file: number): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1 << 20)
  let bytes = 0
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    hash.update(buffer.subarray(0, read))
    bytes += read
  }
  return { bytes, sha256: hash.digest('hex') }
}

/**
 * A rename is durable only when its folder is. Windows cannot open folders and does not need it.
 */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
