import { hash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { WrittenManifest } from '../connectors/destination/written-evidence.ts'
import { TillageError } from '../errors.ts'
import { forEach } from './for-each.ts'
import { fetchObject, sizeOf } from './objects.ts'
import { addressOf, isBelow, pathOf } from './place.ts'
import type { ObjectPlace } from './place.ts'

/** What every manifest has, of an export as of an audit: the files below its folder. */
const listShape = z.object({
  files: z.array(
    z.object({
      path: z.string().regex(/^(?!.*\.\.)[^./\\][^\\]*$/),
      bytes: z.int(),
      sha256: z.string(),
      dataset: z.string().optional(),
    }),
  ),
})
type ListedFile = z.infer<typeof listShape>['files'][number]

/** Which of the files of a manifest are brought with it. */
export type IsWanted = (file: Pick<ListedFile, 'dataset'>) => boolean

/**
 * Brings what the log of the database says was given out and this machine lacks: manifests, and the
 * files of them that are wanted. What another machine has given out is there then, for whoever
 * reads the mirror.
 */
export async function bringWritten(
  place: ObjectPlace,
  written: readonly WrittenManifest[],
  isWanted: IsWanted,
): Promise<void> {
  const missing = written
    .filter(({ folder }) => isBelow(place, folder))
    .map(({ folder, name, sha256 }) => ({ path: join(pathOf(place, folder), name), sha256 }))
    .filter(({ path, sha256 }) => !isHere(path, sha256))
  await forEach(missing, async ({ path, sha256 }) => {
    await bringManifest(place, path, { sha256, isWanted })
  })
}

const isHere = (path: string, sha256: string): boolean =>
  existsSync(path) && (!isOfAudit(basename(path)) || hashOfFile(path) === sha256)

/**
 * It has its name here before it has it in the bucket: another machine may have been first, and
 * then that one counts.
 */
const isOfAudit = (name: string): boolean => name.startsWith('manifest_AUD-')

export interface Expected {
  /** Undefined: whatever is there. */
  sha256: string | undefined
  isWanted: IsWanted
}

/**
 * Brings a manifest and the files of it that are wanted. It gets its name here last, as in the
 * bucket: where it has that, they are here. False: it was never given out.
 */
export async function bringManifest(
  place: ObjectPlace,
  path: string,
  { sha256, isWanted }: Expected,
): Promise<boolean> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}.brought`)
  try {
    const found = await fetchObject(place, path, { to: draft })
    if (found === undefined) return false
    if (sha256 !== undefined && found !== sha256) throw notAsGiven(addressOf(place, path), found)
    await bringFiles(place, dirname(path), listedIn(draft).filter(isWanted))
    renameSync(draft, path)
    return true
  } finally {
    rmSync(draft, { force: true })
  }
}

const notAsGiven = (address: string, found: string): TillageError =>
  new TillageError('EVIDENCE_CHANGED', `${address} is not as it was given out (sha256 ${found})`, {
    remedy: 'Restore the version that was written first, if the bucket keeps versions.',
  })

/** None where it is no manifest: whoever reads it says so. */
function listedIn(path: string): ListedFile[] {
  try {
    return listShape.parse(JSON.parse(readFileSync(path, 'utf8'))).files
  } catch {
    return []
  }
}

/** What is here already stays: people write into sheets. */
const bringFiles = (
  place: ObjectPlace,
  folder: string,
  files: readonly ListedFile[],
): Promise<void> =>
  forEach(files, async ({ path, sha256 }) => {
    if (!existsSync(join(folder, path))) await bringFile(place, join(folder, path), sha256)
  })

/** False where it is not in the bucket, or is not as it was given out: then nothing is brought. */
export const bringFile = async (
  place: ObjectPlace,
  path: string,
  sha256: string,
): Promise<boolean> => (await fetchObject(place, path, { expected: sha256 })) === sha256

const hashOfFile = (path: string): string => hash('sha256', readFileSync(path))

/**
 * Makes the mirror of a range what the bucket has of it, before the range is given out anew: its
 * manifests, by the names that the database knows, and all files of the newest. What was removed
 * from the bucket is gone here, too, so that it is given out again.
 */
export async function bringRange(
  place: ObjectPlace,
  folder: string,
  { given, newest }: { given: ReadonlyMap<string, string>; newest: () => string | undefined },
): Promise<void> {
  const missing = [...given].filter(
    ([name]) => name.startsWith('manifest_') && !existsSync(join(folder, name)),
  )
  await forEach(missing, async ([name, sha256]) => {
    await bringManifest(place, join(folder, name), { sha256, isWanted: () => false })
  })
  const name = newest()
  if (name === undefined) return
  await forEach(listedIn(join(folder, name)), async ({ path: file, bytes, sha256 }) => {
    const path = join(folder, file)
    const size = await sizeOf(place, path)
    if (size !== bytes) rmSync(path, { force: true })
    else if (statSync(path, { throwIfNoEntry: false })?.size !== bytes)
      await bringFile(place, path, sha256)
  })
}
