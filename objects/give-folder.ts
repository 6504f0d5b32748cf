import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ManifestLog, WrittenManifest } from '../connectors/destination/written-evidence.ts'
import { forEach } from './for-each.ts'
import { manifestsInAddresses } from './in-addresses.ts'
import { sizeOf } from './objects.ts'
import type { ObjectPlace } from './place.ts'
import { putAgain, putOnce } from './put.ts'

/** The manifest of an audit's folder: all of its files, and the manifest before it. */
const evidenceShape = z.object({
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
  changed: z.array(z.object({ path: z.string() })),
  previous: z.object({ path: z.string() }).nullable(),
})
type Evidence = z.infer<typeof evidenceShape>

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
  const evidence = readEvidence(path)
  const { previous } = evidence
  if (previous !== null && (await sizeOf(place, join(folder, previous.path))) === undefined)
    await giveFolder(place, { folder, name: previous.path })
  const before = previous === null ? [] : readEvidence(join(folder, previous.path)).files
  const isGiven = (file: Evidence['files'][number]): boolean =>
    before.some(one => one.path === file.path && one.sha256 === file.sha256)
  await forEach(
    evidence.files.filter(file => !isGiven(file)),
    file => giveFile(place, folder, { ...file, mayChange: mayChange(evidence, file.path) }),
  )
  await putOnce(place, { path, sha256: hash('sha256', readFileSync(path)) })
}

const readEvidence = (path: string): Evidence =>
  evidenceShape.parse(JSON.parse(readFileSync(path, 'utf8')))

const mayChange = ({ changed }: Evidence, path: string): boolean =>
  changed.some(one => one.path === path)

/** A sheet that people have written into since it was sealed is given as it is now. */
async function giveFile(
  place: ObjectPlace,
  folder: string,
  file: { path: string; sha256: string; mayChange: boolean },
): Promise<void> {
  const path = join(folder, file.path)
  if (!existsSync(path)) return
  const sha256 = hash('sha256', readFileSync(path))
  const isOther = sha256 !== file.sha256
  await (file.mayChange || isOther ? putAgain : putOnce)(place, { path, sha256 })
}
