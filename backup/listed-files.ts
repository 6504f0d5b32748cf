import {
  copyFileSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { sha256OfFile } from '../disk.ts'
import { UsageError } from '../errors.ts'

/** Folders of files that a database knows by their names and hashes. */
const FOLDERS = ['exports', 'push'] as const
type Folder = (typeof FOLDERS)[number]

/** Where they lie: what was given out, with audits and counts; and catalog plans. */
export const foldersOf = ({
  database,
  exports,
}: Pick<Config, 'database' | 'exports'>): Record<Folder, string> => ({
  exports,
  push: join(dirname(database), 'push'),
})

const listedShape = z.object({
  schema: z.literal('tillage.backup/1'),
  /** When the copy of the database began: ISO, UTC. */
  madeAt: z.string(),
  files: z.array(
    z.object({
      folder: z.enum(FOLDERS),
      /** Below its folder, with slashes. */
      path: z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))/),
      bytes: z.int(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})
export type ListedFiles = z.infer<typeof listedShape>
type ListedFile = ListedFiles['files'][number]

/** Beside a backup: the list of files, and the files themselves where somebody asked for them. */
export const listPath = (backup: string): string => `${backup}.files.json`
export const copiesPath = (backup: string): string => `${backup}.files`

interface ListOrder extends Pick<ListedFiles, 'madeAt'> {
  progress: (line: string) => void
  signal: AbortSignal
}

/** Every file of the folders with its hash, in the order of their names. */
export async function listFiles(
  config: Pick<Config, 'database' | 'exports' | 'objects'>,
  { madeAt, progress, signal }: ListOrder,
): Promise<ListedFiles> {
  const files: ListedFile[] = []
  for (const [folder, root] of listedFolders(config))
    for (const path of filesBelow(root)) {
      signal.throwIfAborted()
      if (files.length % 100 === 0) progress(`${files.length} files listed with their hashes`)
      const { size: bytes } = statSync(path)
      const name = relative(root, path).split(sep).join('/')
      files.push({ folder, path: name, bytes, sha256: await sha256OfFile(path) })
    }
  return { schema: 'tillage.backup/1', madeAt, files }
}

/** What lies in a bucket is kept there; here is only what this machine had to do with. */
const listedFolders = (
  config: Pick<Config, 'database' | 'exports' | 'objects'>,
): [Folder, string][] =>
  (Object.entries(foldersOf(config)) as [Folder, string][]).filter(
    ([folder]) => folder !== 'exports' || config.objects === undefined,
  )

/** Where what is in no list lies, for whoever has to keep it. */
export const placesToKeep = (
  config: Pick<Config, 'database' | 'exports' | 'objects'>,
): string[] => [
  ...listedFolders(config)
    .map(([, root]) => root)
    .filter(root => existsSync(root)),
  ...(config.objects === undefined ? [] : [config.objects.url]),
]

/** Without what is still being made: such names begin with a dot. */
function filesBelow(root: string): string[] {
  if (!existsSync(root)) return []
  return readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(root, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      return entry.isFile() ? [path] : []
    })
}

/** Copies listed files from folder to folder; what is there already stays. */
export function copyListed(
  files: readonly ListedFile[],
  from: (folder: Folder) => string,
  to: (folder: Folder) => string,
): void {
  for (const { folder, path } of files) {
    const [source, target] = [join(from(folder), path), join(to(folder), path)]
    if (!existsSync(source) || existsSync(target)) continue
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    copyFileSync(source, target, constants.COPYFILE_EXCL)
  }
}

/** The list beside a backup; undefined: it was made without one. */
export function readList(backup: string): ListedFiles | undefined {
  const path = listPath(backup)
  if (!existsSync(path)) return undefined
  const read = listedShape.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (read.success) return read.data
  throw new UsageError(
    `${path} is not a list of files of this version`,
    'Take it away to restore the database without looking for its files.',
  )
}

export interface FoundFiles {
  listed: number
  /** Paths of what is not there, and of what is there with other bytes. */
  missing: string[]
  different: string[]
}

/** What of a list is in its folders. */
export async function compareFiles(
  { files }: ListedFiles,
  config: Pick<Config, 'database' | 'exports'>,
): Promise<FoundFiles> {
  const folders = foldersOf(config)
  const found: FoundFiles = { listed: files.length, missing: [], different: [] }
  for (const { folder, path, sha256 } of files) {
    const file = join(folders[folder], path)
    if (!existsSync(file)) found.missing.push(file)
    else if ((await sha256OfFile(file)) !== sha256) found.different.push(file)
  }
  return found
}
