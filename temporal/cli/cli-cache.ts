import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { withFileLock } from '../../file-lock.ts'
import { findCliProblem, TEMPORAL_CLI_VERSION } from './cli-version.ts'

/**
 * The path of the cached CLI inside a cache folder; the version is in the name, so an update never
 * meets an old file.
 */
export function cachedCliPath(cacheFolder: string): string {
  return resolve(
    cacheFolder,
    'temporal',
    `temporal-${TEMPORAL_CLI_VERSION}${process.platform === 'win32' ? '.exe' : ''}`,
  )
}

/** Sums of the archives that this machine has downloaded; they stay when the program is removed. */
export const archiveSumsPath = (cacheFolder: string): string =>
  resolve(cacheFolder, 'temporal', 'archives.sha256')

/**
 * Why the cached CLI cannot be used, or undefined. To run it takes a tenth of a second and 80 MB,
 * so each file is tried once, and again when it is another one.
 */
export async function findCacheProblem(cached: string): Promise<string | undefined> {
  const file = statSync(cached, { throwIfNoEntry: false })
  if (file === undefined) return 'not there yet'
  const note = `${cached}.checked`
  const identity = `${process.platform} ${process.arch} ${file.size} ${file.mtimeMs}`
  if (existsSync(note) && readFileSync(note, 'utf8') === identity) return undefined
  const problem = await findCliProblem(cached)
  if (problem === undefined) writeNote(note, identity)
  return problem
}

/** Where it cannot be written, the CLI is tried each time. */
function writeNote(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch {}
}

/** Runs `work` while no other process fills this cache; says so while it has to wait. */
export async function withCliCacheLock<T>(
  cacheFolder: string,
  progress: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(dirname(cachedCliPath(cacheFolder)), { recursive: true })
  const waiting = () =>
    progress(`another command is getting Temporal ${TEMPORAL_CLI_VERSION}; waiting for it`)
  return withFileLock(`${cachedCliPath(cacheFolder)}.lock`, waiting, work)
}

/**
 * Lets `produce` put a CLI into a scratch folder and keeps it if it runs. It appears under its
 * final name by one rename, so a process that is killed on the way leaves a scratch file behind,
 * never half a program; the next one removes it. Call it under the cache lock.
 */
export async function addToCliCache(
  cacheFolder: string,
  produce: (scratch: string) => Promise<string>,
): Promise<string> {
  const target = cachedCliPath(cacheFolder)
  const parent = dirname(target)
  const prefix = `scratch-${TEMPORAL_CLI_VERSION}-`
  for (const name of readdirSync(parent))
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true })
  const scratch = join(parent, `${prefix}${randomUUID()}`)
  mkdirSync(scratch)
  try {
    const produced = await produce(scratch)
    chmodSync(produced, 0o755)
    const problem = await findCliProblem(produced)
    if (problem !== undefined)
      throw new Error(`the result is not a usable Temporal CLI: ${problem}`)
    renameSync(produced, target)
    return target
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
