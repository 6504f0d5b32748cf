import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { GivenFile, GivenOut } from '../connectors/destination/given-out.ts'
import { IMPORTED_DATASETS } from '../exports/journal/write-formats.ts'
import { additionOf, parseManifest } from '../exports/revisions/manifest.ts'
import { isBelow } from '../objects/place.ts'
import { currentFiles } from './current-files.ts'
import type { Preference } from './current-files.ts'

export interface ListedFile extends GivenFile {
  /** What a reader should load: no row is in two of them. */
  current: boolean
  /** No longer on the disk. */
  gone: boolean
  /**
   * Of the newest of its range that is not current, for others hold some of its days: how many of
   * its days no current file holds.
   */
  daysNotListed?: number | undefined
}

/** Where exports lie. */
export type ExportsPlace = Pick<Config, 'exports' | 'objects'>

/** Which of them somebody asks for. */
export interface FilesAsked {
  preference?: Preference | undefined
  store?: string | undefined
  /** `yyyy-MM-dd`: the folder of one day, where only that is looked at. */
  day?: string | undefined
}

/**
 * Every file that was given out: those of the manifests below the exports folder, in either layout,
 * and those that the database remembers of other folders and of folders that are gone; of one store
 * or of all. Of a bucket, the database knows all of them.
 */
export async function givenFiles(
  history: Pick<GivenOut, 'files'>,
  place: ExportsPlace,
  { preference = 'days', store, day }: FilesAsked = {},
): Promise<ListedFile[]> {
  const files = new Map<string, GivenFile>()
  const known = await history.files()
  const out = place.objects?.url ?? resolve(place.exports)
  const inFolder = place.objects === undefined ? manifestFiles(place.exports, store) : []
  for (const file of [...known, ...inFolder])
    if (store === undefined || file.store === store) files.set(file.path, file)
  const newest = newestOf([...files.values()], out)
  const isThere = await presence(place, [store, day])
  const listed = [...files.values()].map(file => ({ ...file, gone: !isThere(file.path) }))
  const { current, leftOut } = currentFiles(
    listed.filter(file => newest.get(keyOf(file))?.path === file.path),
    preference,
  )
  return listed
    .map(file => ({ ...file, current: current.has(file), daysNotListed: leftOut.get(file) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** By key. */
function newestOf(files: readonly GivenFile[], out: string): Map<string, GivenFile> {
  const newest = new Map<string, GivenFile>()
  for (const file of files) {
    const known = newest.get(keyOf(file))
    if (known === undefined || isNewer(file, known, out)) newest.set(keyOf(file), file)
  }
  return newest
}

/** Which files are there; a bucket is asked once for all that lies below a folder of it. */
async function presence(
  { exports, objects }: ExportsPlace,
  folders: readonly (string | undefined)[],
): Promise<(path: string) => boolean> {
  if (objects === undefined) return existsSync
  const { sizesBelow } = await import('../objects/objects.ts')
  const named = folders.filter(folder => folder !== undefined)
  const sizes = await sizesBelow(objects, join(exports, ...named))
  return path => (isBelow(objects, path) ? sizes.has(path) : existsSync(path))
}

/** Of files of one key the newest stands for all; revisions of a journal stand side by side. */
const keyOf = ({ store, from, to, dataset, format, revision }: GivenFile): string =>
  JSON.stringify([
    store,
    from,
    to,
    dataset,
    format,
    ...(IMPORTED_DATASETS.includes(dataset) ? [revision] : []),
  ])

/** Of two of one number, that in the exports folder. */
function isNewer(file: GivenFile, known: GivenFile, out: string): boolean {
  const newer = file.revision - known.revision || file.addition - known.addition
  return newer > 0 || (newer === 0 && file.path.startsWith(out))
}

function manifestFiles(out: string, store?: string): GivenFile[] {
  if (!existsSync(out)) return []
  return namesIn(out, store)
    .filter(path => /(^|[/\\])manifest_[^/\\]*\.json$/.test(path))
    .flatMap(path => filesOf(join(out, path)))
}

/** Of one store: those of its folder, and of before there were folders. */
const namesIn = (out: string, store?: string): string[] =>
  readdirSync(out, { recursive: store === undefined, encoding: 'utf8' }).flatMap(name =>
    name === store
      ? readdirSync(join(out, name), { recursive: true, encoding: 'utf8' }).map(one =>
          join(name, one),
        )
      : [name],
  )

function filesOf(path: string): GivenFile[] {
  const manifest = parseManifest(readFileSync(path, 'utf8'))
  return (manifest?.files ?? []).map(({ path: name, dataset, format, revision, rows, sha256 }) => ({
    store: manifest!.store,
    ...manifest!.days,
    dataset,
    format,
    revision,
    addition: additionOf(name),
    rows,
    sha256,
    path: resolve(dirname(path), name),
  }))
}
