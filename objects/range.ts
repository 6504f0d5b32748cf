/** The folder of one range that is about to be given out anew: what the bucket has of it. */
import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sha256OfFile } from '../disk.ts'
import { bringAnyManifest, bringFile, bringManifest, isNotAsGiven } from './bring.ts'
import { forEach } from './for-each.ts'
import { contentsOf } from './manifest-contents.ts'
import { givenHashOf, sizesBelow } from './objects.ts'
import { addressOf, pathOf } from './place.ts'
import type { ObjectPlace } from './place.ts'
import { putOnce } from './put.ts'
import type { ObjectFile } from './put.ts'

/** The sha256 of what was given out, by name. */
type Given = ReadonlyMap<string, string>

const isManifest = (name: string): boolean => name.startsWith('manifest_')

/** What the database knows of a range. */
export interface KnownRange {
  /** Names that were about to be given out: that of a run that died may be another's by now. */
  given: Given
  /** Whether the audit log has a manifest: then it was given out. */
  isLogged: (manifest: { name: string; sha256: string }) => Promise<boolean>
  /** The newest manifest that is here. */
  newest: () => string | undefined
}

/** What the bucket lacks of the newest manifest of a range, though it was given out. */
export interface Lacking {
  files: readonly LackingFile[]
  manifest: ObjectFile | undefined
}

export interface LackingFile extends ObjectFile {
  /** This machine has its bytes. */
  isHere: boolean
}

export const NOTHING_LACKS: Lacking = { files: [], manifest: undefined }

/**
 * Brings what the mirror lacks of a range: its manifests, by the names that the database knows, and
 * all files of the newest. Answers what the bucket lacks; nothing is given or removed.
 */
export async function bringRange(
  place: ObjectPlace,
  folder: string,
  known: KnownRange,
): Promise<Lacking> {
  await bringManifests(place, folder, known)
  const name = known.newest()
  if (name === undefined) return NOTHING_LACKS
  const sizes = await sizesBelow(place, folder)
  const lacking: LackingFile[] = []
  await forEach(contentsOf(join(folder, name)).files, async ({ path: file, bytes, sha256 }) => {
    const path = join(folder, file)
    // One of another size is nobody's to replace: `verify` and whoever fetches it say so.
    if (!sizes.has(addressOf(place, path)))
      lacking.push({
        path,
        sha256,
        isHere: existsSync(path) && (await sha256OfFile(path)) === sha256,
      })
    else if (statSync(path, { throwIfNoEntry: false })?.size !== bytes)
      await bringFile(place, path, sha256)
  })
  const path = join(folder, name)
  if (sizes.has(addressOf(place, path))) return { files: lacking, manifest: undefined }
  return { files: lacking, manifest: { path, sha256: await sha256OfFile(path) } }
}

async function bringManifests(
  place: ObjectPlace,
  folder: string,
  { given, isLogged }: KnownRange,
): Promise<void> {
  const missing = [...given].filter(([name]) => isManifest(name) && !existsSync(join(folder, name)))
  await forEach(missing, async ([name, sha256]) => {
    const path = join(folder, name)
    try {
      await bringManifest(place, path, { sha256 })
    } catch (error) {
      if (!isNotAsGiven(error) || (await isLogged({ name, sha256 }))) throw error
      await bringAnyManifest(place, path)
    }
  })
}

/** What a range is given out with. */
export interface RangeToGive {
  files: readonly ObjectFile[]
  lacking: Lacking
  /** Undefined: the newest stays. */
  manifest: ObjectFile | undefined
}

/**
 * Files first, the manifest last: as on the disk, whoever sees it sees what it names. None is under
 * way any more where one of them failed.
 */
export async function giveRange(
  place: ObjectPlace,
  { files, lacking, manifest }: RangeToGive,
): Promise<void> {
  const isMadeAnew = ({ path }: ObjectFile): boolean => files.some(one => one.path === path)
  const again = lacking.files.filter(file => file.isHere && !isMadeAnew(file))
  await forEach([...files, ...again], file => putOnce(place, file))
  const isWhole = lacking.files.every(file => file.isHere || isMadeAnew(file))
  if (lacking.manifest !== undefined && isWhole) await putOnce(place, lacking.manifest)
  if (manifest !== undefined) await putOnce(place, manifest)
}

/**
 * What the bucket has of a range, since a name of it was taken: manifests of another machine are
 * brought, so that what comes now follows them.
 */
export async function learnRange(place: ObjectPlace, folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  await forEach((await sizesBelow(place, folder)).keys(), async address => {
    const path = pathOf(place, address)
    const name = basename(path)
    const sha256 = await givenHashOf(place, path)
    if (sha256 === undefined) return
    found.set(name, sha256)
    if (isManifest(name) && !existsSync(path)) await bringManifest(place, path, { sha256 })
  })
  return found
}
