import { runCommand } from './run-command.ts'

/**
 * The Temporal CLI that we cache, download and build. `tools/temporal/go.mod` names the same; a
 * test holds the two together.
 */
export const TEMPORAL_CLI_VERSION = '1.8.2'

/**
 * Older ones on PATH are left alone: the server is started
 * with flags that were tried with this one.
 */
export const OLDEST_CLI_VERSION = '1.8.0'

/** Why a CLI that answers so is too old to be taken, or undefined. */
export function findAgeProblem(answer: string): string | undefined {
  const version = /\btemporal version v?(\d+\.\d+\.\d+)/i.exec(answer)?.[1]
  if (version === undefined) return 'it does not say which version it is'
  const isOlder = version.localeCompare(OLDEST_CLI_VERSION, 'en', { numeric: true }) < 0
  return isOlder ? `it is version ${version}, older than ${OLDEST_CLI_VERSION}` : undefined
}

/**
 * Why the file is no usable Temporal CLI, or undefined if it is one: it must run and name itself.
 */
export async function findCliProblem(
  path: string,
  { anyVersion = true } = {},
): Promise<string | undefined> {
  const result = await runCommand(path, ['--version'], { timeoutMs: 20_000 })
  if (!result.ok) return result.problem
  if (/\btemporal version\b/i.test(result.output))
    return anyVersion ? undefined : findAgeProblem(result.output)
  return (
    `it runs, but "--version" printed ${JSON.stringify(result.output.slice(0, 80))} ` +
    'instead of a Temporal version'
  )
}
