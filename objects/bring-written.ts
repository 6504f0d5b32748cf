/** Brings what the log of the database says was given out and this machine lacks. */
import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { WrittenManifest } from '../connectors/destination/written-evidence.ts'
import { sha256OfFile } from '../disk.ts'
import type { TillageError } from '../errors.ts'
import { bringFile, bringManifest, isNotAsGiven, notAsGiven } from './bring.ts'
import { forEach } from './for-each.ts'
import { contentsOf } from './manifest-contents.ts'
import type { ManifestContents, NamedFile } from './manifest-contents.ts'
import { addressOf, isBelow, pathOf } from './place.ts'
import type { ObjectPlace } from './place.ts'

/** Which of the files of a manifest are brought with it. */
export type IsWanted = (file: Pick<NamedFile, 'dataset'>) => boolean

/** A manifest that is not in the bucket as it was given out, or lacks a file there. */
export interface NotBrought {
  /** Its address. */
  folder: string
  error: TillageError
}

/**
 * Brings manifests, and the files of them that are wanted. What another machine has given out is
 * there then, for whoever reads the mirror. Answers what was not brought, and goes on past it: one
 * object that somebody has changed keeps nothing else back.
 */
export async function bringWritten(
  place: ObjectPlace,
  written: readonly WrittenManifest[],
  isWanted: IsWanted,
): Promise<NotBrought[]> {
  const folders = Map.groupBy(
    written.filter(({ folder }) => isBelow(place, folder)),
    ({ folder }) => folder,
  )
  const failed: NotBrought[] = []
  await forEach(folders, async ([folder, manifests]) => {
    const errors = await bringFolder(place, manifests, isWanted)
    failed.push(...errors.map(error => ({ folder, error })))
  })
  return failed
}

/** A manifest on its way. */
interface Draft {
  path: string
  draft: string
  contents: ManifestContents
}

/**
 * The manifests of one folder, oldest first. They get their names here last, as in the bucket:
 * where one has that, its files are here.
 */
async function bringFolder(
  place: ObjectPlace,
  manifests: readonly WrittenManifest[],
  isWanted: IsWanted,
): Promise<TillageError[]> {
  const drafts: Draft[] = []
  const errors: TillageError[] = []
  try {
    for (const manifest of manifests)
      await noting(errors, async () => {
        const fetched = await fetchDraft(place, manifest)
        if (fetched !== undefined) drafts.push(fetched)
      })
    const lacking = await bringFiles(place, drafts, isWanted)
    for (const { path, draft, contents } of drafts)
      await noting(errors, async () => {
        refuseLacking(place, { path, contents, lacking })
        renameSync(draft, path)
      })
    return errors
  } finally {
    for (const { draft } of drafts) rmSync(draft, { force: true })
  }
}

/** Only what is not as it was given out is passed over. */
async function noting(errors: TillageError[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isNotAsGiven(error)) throw error
    errors.push(error)
  }
}

/** Undefined: it is here, or was never given out. */
async function fetchDraft(
  place: ObjectPlace,
  { folder, name, sha256 }: WrittenManifest,
): Promise<Draft | undefined> {
  const path = join(pathOf(place, folder), name)
  if (await isHere(path, sha256)) return undefined
  const draft = join(pathOf(place, folder), `.${name}.${randomUUID()}.brought`)
  if (!(await bringManifest(place, path, { sha256, to: draft }))) return undefined
  return { path, draft, contents: contentsOf(draft) }
}

/**
 * One of an audit has its name here before it has it in the bucket: another machine may have been
 * first, and then that one counts.
 */
const isHere = async (path: string, sha256: string): Promise<boolean> =>
  existsSync(path) &&
  (!basename(path).startsWith('manifest_AUD-') || (await sha256OfFile(path)) === sha256)

/** Each file as the newest that names it says. Answers the paths that could not be brought. */
async function bringFiles(
  place: ObjectPlace,
  drafts: readonly Draft[],
  isWanted: IsWanted,
): Promise<Set<string>> {
  const wanted = new Map<string, NamedFile>()
  for (const { path, contents } of drafts)
    for (const file of contents.files.filter(isWanted))
      wanted.set(join(path, '..', file.path), file)
  const changes = drafts.flatMap(({ contents }) => contents.changed)
  const lacking = new Set<string>()
  await forEach(wanted, async ([path, { path: name, sha256 }]) => {
    const known = changes.filter(change => change.path === name).map(({ from }) => from)
    if (!(await isToBring(path, known)) || (await bringFile(place, path, sha256))) return
    // What people write into is given as it is by then.
    if (known.length === 0) lacking.add(path)
  })
  return lacking
}

/** What is here stays, for people write into sheets; what nobody here has written into does not. */
const isToBring = async (path: string, known: readonly string[]): Promise<boolean> =>
  !existsSync(path) || (known.length > 0 && known.includes(await sha256OfFile(path)))

function refuseLacking(
  place: ObjectPlace,
  { path, contents, lacking }: Omit<Draft, 'draft'> & { lacking: ReadonlySet<string> },
): void {
  const missing = contents.files
    .map(file => join(path, '..', file.path))
    .find(one => lacking.has(one))
  if (missing === undefined) return
  const [file, manifest] = [missing, path].map(one => addressOf(place, one))
  throw notAsGiven(`${file} is gone, or is not as ${manifest} says that it was given out`)
}
