import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestLog, WrittenManifest } from '../connectors/destination/written-evidence.ts'
import { sha256OfFile } from '../disk.ts'
import { forEach } from './for-each.ts'
import { manifestsInAddresses } from './in-addresses.ts'
import { readContents } from './manifest-contents.ts'
import type { NamedFile } from './manifest-contents.ts'
import { sizeOf } from './objects.ts'
import type { ObjectPlace } from './place.ts'
import { putAgain, putOnce } from './put.ts'

/**
 * The same log, for whoever seals folders in the mirror: a manifest is in the bucket with all that
 * it names before the log knows it. Where that fails, the next seal of the folder finishes it.
 */
export const givingLog = <Log extends ManifestLog>(
  log: Log,
  place: ObjectPlace | undefined,
): Log => {
  if (place === undefined) return log
  const { keepManifest } = manifestsInAddresses(log, place)
  return {
    ...log,
    async keepManifest(manifest: WrittenManifest): Promise<void> {
      await giveFolder(place, manifest)
      await keepManifest(manifest)
    },
  }
}

/** Files first, the manifest last; those before it, too, where they are not in the bucket yet. */
async function giveFolder(
  place: ObjectPlace,
  { folder, name }: Pick<WrittenManifest, 'folder' | 'name'>,
): Promise<void> {
  const path = join(folder, name)
  const { files, changed, previous } = readContents(path)
  if (previous !== null && (await sizeOf(place, join(folder, previous.path))) === undefined)
    await giveFolder(place, { folder, name: previous.path })
  const before = previous === null ? [] : readContents(join(folder, previous.path)).files
  const isGiven = (file: NamedFile): boolean =>
    before.some(one => one.path === file.path && one.sha256 === file.sha256)
  const mayChange = (file: NamedFile): boolean => changed.some(one => one.path === file.path)
  await forEach(
    files.filter(file => !isGiven(file)),
    file => giveFile(place, folder, { ...file, mayChange: mayChange(file) }),
  )
  await putOnce(place, { path, sha256: await sha256OfFile(path) })
}

/** A sheet that people have written into since it was sealed is given as it is now. */
async function giveFile(
  place: ObjectPlace,
  folder: string,
  file: NamedFile & { mayChange: boolean },
): Promise<void> {
  const path = join(folder, file.path)
  if (!existsSync(path)) return
  const sha256 = await sha256OfFile(path)
  const isOther = sha256 !== file.sha256
  await (file.mayChange || isOther ? putAgain : putOnce)(place, { path, sha256 })
}
