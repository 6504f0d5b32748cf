import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { TemporalError } from '../../errors.ts'
import { buildCli } from './build-cli.ts'
import { resolveCacheFolder } from './cache-folder.ts'
import {
  addToCliCache,
  archiveSumsPath,
  cachedCliPath,
  findCacheProblem,
  withCliCacheLock,
} from './cli-cache.ts'
import { findCliProblem, TEMPORAL_CLI_VERSION } from './cli-version.ts'

export interface FindTemporalCliOptions {
  /** Hears one line at a time about what takes long. */
  readonly progress: (line: string) => void
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** Default: `TILLAGE_CACHE`, else `tillage` in the user's cache folder. */
  readonly cacheFolder?: string
  /** Default: Temporal's own download service; a mirror of it otherwise. */
  readonly downloadFrom?: string
}

/**
 * The path of a Temporal CLI that runs, found in this order: `TEMPORAL_CLI`, the one that we
 * cached, `PATH`, a download, a build with Go. The last two fill the cache, once even if several
 * commands start together.
 *
 * Where `TEMPORAL_CLI_SHA256` is set, no archive of another content is unpacked; else none that
 * differs from what this machine downloaded first.
 *
 * `TEMPORAL_CLI` is a decision of the user's: if it does not work, that is an error at once, not a
 * reason to take another.
 */
export async function findTemporalCli(options: FindTemporalCliOptions): Promise<string> {
  const { env = process.env } = options
  const cached = cachedCliPath(cacheFolderOf(options))

  if (env['TEMPORAL_CLI'] !== undefined && env['TEMPORAL_CLI'] !== '')
    return checkChosenCli(resolve(env['TEMPORAL_CLI']))
  const cacheProblem = await findCacheProblem(cached)
  if (cacheProblem === undefined) return cached
  const onPath = await findOnPath(env)
  if ('path' in onPath) return onPath.path

  const tried = [
    'TEMPORAL_CLI: not set',
    `our cache, ${cached}: ${cacheProblem}`,
    `PATH: ${onPath.problem}`,
  ]
  const added = await fillCache(options, tried)
  if (added === undefined) throw noneFound(tried)
  return added
}

const cacheFolderOf = ({
  env = process.env,
  cacheFolder = resolveCacheFolder(env),
}: FindTemporalCliOptions): string => cacheFolder

/**
 * The path of what was downloaded or built; undefined, and why in `tried`, where neither worked.
 */
async function fillCache(
  options: FindTemporalCliOptions,
  tried: string[],
): Promise<string | undefined> {
  // Only here: the server that is nearly always there starts sooner.
  const { downloadCli, TEMPORAL_DOWNLOAD_URL } = await import('./download-cli.ts')
  const { progress, env = process.env, downloadFrom: from = TEMPORAL_DOWNLOAD_URL } = options
  const cacheFolder = cacheFolderOf(options)
  const cached = cachedCliPath(cacheFolder)
  const sums = { sha256: wantedSum(env), sumsFile: archiveSumsPath(cacheFolder) }
  const download = (): Promise<string> =>
    addToCliCache(cacheFolder, folder => downloadCli({ from, ...sums, folder, progress }))
  const build = (): Promise<string> =>
    addToCliCache(cacheFolder, folder => buildCli({ folder, progress, env }))
  try {
    return await withCliCacheLock(cacheFolder, progress, async () => {
      if ((await findCacheProblem(cached)) === undefined) return cached
      const downloaded = await addOrNote(tried, `download from ${from}`, download)
      return downloaded ?? (await addOrNote(tried, 'build with Go', build))
    })
  } catch (error) {
    tried.push(
      'download and build with Go: neither was begun, the cache folder cannot be written: ' +
        describeCauses(error),
    )
    return undefined
  }
}

function noneFound(tried: readonly string[]): TemporalError {
  const list = tried.map((line, index) => `  ${index + 1}. ${line}`).join('\n')
  return new TemporalError(
    'TEMPORAL_MISSING',
    `no Temporal server to start was found. Tried, in this order:\n${list}`,
    {
      remedy:
        `install the Temporal CLI ${TEMPORAL_CLI_VERSION} or newer ` +
        '(https://docs.temporal.io/cli) so that "temporal --version" works, ' +
        'or set TEMPORAL_CLI to its path, ' +
        'or install Go (https://go.dev/dl) so that it can be built, ' +
        'or point "temporal" in tillage.yaml to a server that already runs',
    },
  )
}

/** An empty one is as good as none. */
const wantedSum = ({ TEMPORAL_CLI_SHA256 }: NodeJS.ProcessEnv): string | undefined =>
  TEMPORAL_CLI_SHA256?.trim() === '' ? undefined : TEMPORAL_CLI_SHA256

async function checkChosenCli(path: string): Promise<string> {
  const problem = existsSync(path) ? await findCliProblem(path) : 'there is no such file'
  if (problem === undefined) return path
  throw new TemporalError(
    'TEMPORAL_MISSING',
    `TEMPORAL_CLI names ${path}, which cannot be used: ${problem}`,
    {
      remedy:
        'set TEMPORAL_CLI to the path of a Temporal CLI that answers "--version", ' +
        'or unset it to let Tillage find or build one',
    },
  )
}

/**
 * The first `temporal` on PATH that works: a broken one in front must not hide a good one behind
 * it.
 */
async function findOnPath(env: NodeJS.ProcessEnv): Promise<{ path: string } | { problem: string }> {
  const name = process.platform === 'win32' ? 'temporal.exe' : 'temporal'
  const candidates = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => join(resolve(folder), name))
  const problems: string[] = []
  for (const path of candidates.filter(candidate => existsSync(candidate))) {
    const problem = await findCliProblem(path, { anyVersion: false })
    if (problem === undefined) return { path }
    problems.push(`${path} cannot be used: ${problem}`)
  }
  return { problem: problems.length === 0 ? `no ${name} in it` : problems.join('; ') }
}

async function addOrNote(
  tried: string[],
  way: string,
  add: () => Promise<string>,
): Promise<string | undefined> {
  try {
    return await add()
  } catch (error) {
    tried.push(`${way}: ${describeCauses(error)}`)
    return undefined
  }
}

/** Network errors say "fetch failed" and keep what matters in their cause. */
function describeCauses(error: unknown): string {
  const parts: string[] = []
  for (let current = error; current instanceof Error; current = current.cause)
    if (!parts.includes(current.message)) parts.push(current.message)
  return parts.length === 0 ? String(error) : parts.join(': ')
}
