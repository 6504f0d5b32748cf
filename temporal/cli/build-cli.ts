import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEMPORAL_CLI_VERSION } from './cli-version.ts'
import { runCommand } from './run-command.ts'

const TIMEOUT_MS = 45 * 60_000

/**
 * The Go module that pins the CLI. It is two folders up from here in a clone, and one up
 * from `dist` in a package.
 */
export function findWrapperModule(): string {
  const candidates = ['../../tools/temporal', '../tools/temporal'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const found = candidates.find(path => existsSync(join(path, 'go.mod')))
  if (found === undefined)
    throw new Error(
      'tools/temporal/go.mod is missing from this installation ' +
        `(looked at ${candidates.join(' and ')})`,
    )
  return found
}

export interface BuildCliOptions {
  /** An existing folder to build into. */
  readonly folder: string
  readonly progress: (line: string) => void
  readonly env: NodeJS.ProcessEnv
}

/**
 * Builds the CLI with Go from the module proxy. It takes minutes the first time, and says so at the
 * start; a terminal says that again while nothing newer is heard.
 */
export async function buildCli({ folder, progress, env }: BuildCliOptions): Promise<string> {
  // Only our own go.mod counts: no workspace of the user's, and never a change to the committed
  // files.
  const options = {
    cwd: findWrapperModule(),
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
    timeoutMs: TIMEOUT_MS,
  }
  const go = await runCommand('go', ['version'], options)
  if (!go.ok) throw new Error(`"go version" does not work: ${go.problem}`)

  const target = join(folder, process.platform === 'win32' ? 'temporal.exe' : 'temporal')
  progress(
    `building Temporal ${TEMPORAL_CLI_VERSION} with Go, the first time only: ` +
      'this takes four to twelve minutes',
  )
  const startedAt = Date.now()
  const built = await runCommand('go', buildArguments(target), options)
  const took = describeElapsed(Date.now() - startedAt)
  if (!built.ok) throw new Error(`"go build" failed after ${took}: ${built.problem}`)
  progress(`built Temporal ${TEMPORAL_CLI_VERSION} in ${took}`)
  return target
}

const buildArguments = (target: string): string[] => [
  'build',
  '-mod=readonly',
  '-trimpath',
  '-ldflags',
  '-s -w',
  '-o',
  target,
  'github.com/temporalio/cli/cmd/temporal',
]

function describeElapsed(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
