import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
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
import { exportName, manifestText, PUBLISHED_FORMATS, spanOf } from './manifest.ts'
import type {
  Manifest,
  ManifestDataset,
  ManifestFile,
  PublishedFormat,
  StoredManifest,
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
}

/** What a revision is made of, apart from what earlier revisions say. */
export interface Draft {
  header: Pick<
    Manifest,
    'tool' | 'writer' | 'store' | 'days' | 'range' | 'books' | 'people' | 'proof'
  >
  /** Streams that were read now. Files of other streams are carried over as they are. */
  streams: readonly string[]
  datasets: readonly ManifestDataset[]
  files: readonly PreparedFile[]
}

/** What has to be done to publish a draft. */
export interface Decision {
  /** `undefined`: the newest revision holds all of it. */
  manifest: Manifest | undefined
  /**
   * From prepared paths to final names. Without a new manifest these only restore files that went
   * missing.
   */
  moves: ReadonlyArray<{ from: string; name: string }>
}

/**
 * Decides what a draft means for a range (INV-9). A revision is identified by its content, and its manifest is the
 * table of contents of the range:
 *
 * - Nothing differs from the newest revision: there is no new one, nothing is rewritten; another proof alone is no
 *   difference.
 * - Anything differs or is asked for the first time: the next revision. Files that did not change stay listed under
 *   the name that they have, changed and added ones get the new number. Files of earlier revisions are never touched.
 * - A stream that was not read now is carried over. Formats and children that were exported before are always made
 *   anew together with their stream, so that the files of a stream never disagree.
 * - Parquet from another writer version with the same content counts as unchanged: the published file stays.
 */
export function decideRevision(
  draft: Draft,
  newest: StoredManifest | undefined,
  present: (file: ManifestFile) => boolean,
): Decision {
  const { header } = draft
  const revision = (newest?.manifest.revision ?? -1) + 1
  const moves: { from: string; name: string }[] = []
  let changed = newest === undefined
  const files = draft.files.map((file): ManifestFile => {
    const { preparedPath, ...facts } = file
    const known = newest?.manifest.files.find(
      entry => entry.dataset === file.dataset && entry.format === file.format,
    )
    if (known?.sha256 === file.sha256) {
      if (!present(known)) moves.push({ from: preparedPath, name: known.path })
      return known
    }
    if (
      known?.content !== undefined &&
      known.content === file.content &&
      known.writer !== file.writer &&
      present(known)
    )
      return known
    changed = true
    const name = exportName(file.dataset, header.store, spanOf(header.days), revision, file.format)
    moves.push({ from: preparedPath, name })
    return { path: name, ...facts, revision }
  })
  if (!changed) return { manifest: undefined, moves }
  const carried = <T extends { dataset: string }>(entries: readonly T[]): T[] =>
    entries.filter(
      entry =>
        !draft.streams.includes(
          newest?.manifest.datasets.find(({ dataset }) => dataset === entry.dataset)?.stream ?? '',
        ),
    )
  const manifest: Manifest = {
    manifest: 1,
    tool: header.tool,
    writer: header.writer,
    store: header.store,
    days: header.days,
    range: header.range,
    ...(header.books === undefined ? {} : { books: header.books }),
    revision,
    people: header.people,
    datasets: [...carried(newest?.manifest.datasets ?? []), ...draft.datasets],
    // A list of changes belongs to the revision that made them.
    files: [
      ...carried(newest?.manifest.files ?? []).filter(({ dataset }) => dataset !== RESTATEMENT),
      ...files,
    ],
    proof: header.proof,
    previous: newest === undefined ? null : { path: newest.name, sha256: newest.sha256 },
  }
  return { manifest, moves }
}

/**
 * Gives files their final names and writes the manifest last: an export exists when its manifest
 * does (INV-9).
 */
export function publishRevision(out: string, workFolder: string, decision: Decision): void {
  const { manifest, moves } = decision
  for (const { from, name } of moves) renameSync(from, join(out, name))
  if (moves.length > 0) syncFolder(out)
  if (manifest === undefined) return
  const prepared = join(workFolder, 'manifest.json')
  writeFileSync(prepared, manifestText(manifest))
  fingerprint(prepared)
  renameSync(
    prepared,
    join(
      out,
      exportName('manifest', manifest.store, spanOf(manifest.days), manifest.revision, 'json'),
    ),
  )
  syncFolder(out)
}

/**
 * Removes files of a revision that no manifest names: a run died after it renamed them and before
 * it wrote that.
 */
export function removeOrphans(
  out: string,
  store: string,
  days: Manifest['days'],
  datasets: readonly string[],
  newest: StoredManifest | undefined,
): void {
  const revision = (newest?.manifest.revision ?? -1) + 1
  const orphans = new Set(
    datasets.flatMap(dataset =>
      PUBLISHED_FORMATS.map(format => exportName(dataset, store, spanOf(days), revision, format)),
    ),
  )
  for (const name of readdirSync(out)) if (orphans.has(name)) rmSync(join(out, name))
}

/** Whether a published file is there with its size; what is in it, `verifyManifest` finds out. */
export function isPresent(out: string, file: ManifestFile): boolean {
  return statSync(join(out, file.path), { throwIfNoEntry: false })?.size === file.bytes
}

/** Size and sha256 of a file that by then is safely on the disk. */
export function fingerprint(path: string): { bytes: number; sha256: string } {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    return hashOf(file)
  } finally {
    closeSync(file)
  }
}

/** Reads an open file to its end, a megabyte at a time. */
export function hashOf(file: number): { bytes: number; sha256: string } {
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
