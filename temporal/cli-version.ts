import { runCommand } from './run-command.ts'

/**
 * The Temporal CLI that we cache, download and build. `tools/temporal/go.mod` names the same; a
 * test holds the two together.
 */
export const TEMPORAL_CLI_VERSION = '1.8.2'

/**
 * Why the file is no usable Temporal CLI, or undefined if it is one: it must run and name itself.
 */
export async function findCliProblem(path: string): Promise<string | undefined> {
  const result = await runCommand(path, ['--version'], { timeoutMs: 20_000 })
  if (!result.ok) return result.problem
  if (/\btemporal version\b/i.test(result.output)) return undefined
  return `it runs, but "--version" printed ${JSON.stringify(result.output.slice(0, 80))} instead of a Temporal version`
}
