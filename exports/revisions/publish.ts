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
import { syncFolder } from '../../disk.ts'
import type { Decision } from './decide-revision.ts'
import { exportName, manifestsIn, manifestText, PUBLISHED_FORMATS, spanOf } from './manifest.ts'
import type { Manifest, ManifestFile } from './manifest.ts'

/** What else happens while a revision gets its names. */
export interface PublishingSteps {
  /** Files have their names; the manifest, if there is a new one, is prepared and has none. */
  give: (manifest: PreparedManifest | undefined) => Promise<void>
  /** Nothing was given out after all. */
  withdraw: () => Promise<void>
}

export interface PreparedManifest {
  name: string
  preparedPath: string
  sha256: string
}

/**
 * Gives files their final names and writes the manifest last: an export exists when its manifest
 * does (INV-9). Where it fails before that, the names are taken back and `withdraw` is called; a
 * failure after that is only told.
 */
export async function publishRevision(
  workFolder: string,
  { folder, manifest, moves }: Decision,
  { give, withdraw }: PublishingSteps,
): Promise<void> {
  try {
    if (moves.length > 0 || manifest !== undefined) mkdirSync(folder, { recursive: true })
    nameFiles(folder, moves)
    const prepared = manifest && prepareManifest(workFolder, manifest)
    await give(prepared)
    if (prepared !== undefined) renameSync(prepared.preparedPath, join(folder, prepared.name))
  } catch (error) {
    if (manifest !== undefined) takeBack(folder, moves)
    await withdraw()
    throw error
  }
  if (manifest !== undefined) syncFolder(folder)
}

function nameFiles(folder: string, moves: Decision['moves']): void {
  for (const { from, name } of moves) renameSync(from, join(folder, name))
  if (moves.length > 0) syncFolder(folder)
}

/** No manifest names them, so they were never given out. */
function takeBack(folder: string, moves: Decision['moves']): void {
  for (const { name } of moves) rmSync(join(folder, name), { force: true })
}

function prepareManifest(workFolder: string, manifest: Manifest): PreparedManifest {
  const preparedPath = join(workFolder, 'manifest.json')
  writeFileSync(preparedPath, manifestText(manifest))
  const { sha256 } = fingerprint(preparedPath)
  return { name: exportName('manifest', manifest, manifest, 'json'), preparedPath, sha256 }
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
