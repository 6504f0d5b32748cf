import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { GivenFile, GivenOut } from '../connectors/destination/given-out.ts'
import { TillageError } from '../errors.ts'
import { IMPORTED_DATASETS } from '../exports/journal/write-formats.ts'
import { isBelow, isObjectAddress } from '../objects/place.ts'
import { currentFiles } from './current-files.ts'
import type { Preference } from './current-files.ts'
import { manifestFiles } from './manifest-files.ts'

export interface ListedFile extends GivenFile {
  /** What a reader should load: no row is in two of them. */
  current: boolean
  /** No longer on the disk, or in the bucket. */
  gone: boolean
  /** In another bucket than `exports` names: nobody asks that one whether it is there. */
  elsewhere: boolean
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
  /** With a bucket that cannot be reached, all of it counts as there. Default: that fails. */
  withoutBucket?: boolean | undefined
}

/**
 * Every file that was given out: those of the manifests below the exports folder, in either layout,
 * and those that the database remembers of other folders and of folders that are gone; of one store
 * or of all. Of a bucket, the database knows all of them, and nobody asks it.
 */
export async function knownFiles(
  history: Pick<GivenOut, 'files'>,
  place: ExportsPlace,
  store?: string,
): Promise<GivenFile[]> {
  const files = new Map<string, GivenFile>()
  const known = await history.files(store)
  const inFolder = place.objects === undefined ? manifestFiles(place.exports, store) : []
  for (const file of [...known, ...inFolder])
    if (store === undefined || file.store === store) files.set(file.path, file)
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The same, which of them are there, and which a reader should load. */
export async function givenFiles(
  history: Pick<GivenOut, 'files'>,
  place: ExportsPlace,
  { preference = 'days', ...asked }: FilesAsked = {},
): Promise<ListedFile[]> {
  const files = await knownFiles(history, place, asked.store)
  const newest = newestOf(files, place.objects?.url ?? resolve(place.exports))
  const isThere = await presence(place, asked)
  const listed = files.map(file => {
    const elsewhere = isElsewhere(place, file.path)
    return { ...file, elsewhere, gone: !elsewhere && !isThere(file.path) }
  })
  const { current, leftOut } = currentFiles(
    listed.filter(file => newest.get(keyOf(file))?.path === file.path),
    preference,
  )
  return listed.map(file => ({
    ...file,
    current: current.has(file),
    daysNotListed: leftOut.get(file),
  }))
}

const isElsewhere = ({ objects }: ExportsPlace, path: string): boolean =>
  isObjectAddress(path) && (objects === undefined || !isBelow(objects, path))

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
  { store, day, withoutBucket = false }: FilesAsked,
): Promise<(path: string) => boolean> {
  if (objects === undefined) return existsSync
  const { sizesBelow } = await import('../objects/objects.ts')
  const named = [store, day].filter(folder => folder !== undefined)
  try {
    const sizes = await sizesBelow(objects, join(exports, ...named))
    return path => (isBelow(objects, path) ? sizes.has(path) : existsSync(path))
  } catch (error) {
    if (!withoutBucket || !(error instanceof TillageError)) throw error
    return path => isBelow(objects, path) || existsSync(path)
  }
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
