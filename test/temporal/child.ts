import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { waitFor } from './wait-for.ts'

/** A child process that speaks one JSON document a line, and what it said so far. */
export interface TalkingChild {
  readonly process: ChildProcess
  readonly said: Record<string, unknown>[]
  readonly errors: string[]
  readonly tell: (line: string) => void
  /** The value under this key, once the child has said it. */
  readonly hear: (key: string) => Promise<string>
  readonly exited: () => Promise<void>
}

export function startChild(
  script: URL,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): TalkingChild {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said: Record<string, unknown>[] = []
  const errors: string[] = []
  createInterface({ input: child.stdout }).on('line', line =>
    said.push(JSON.parse(line) as Record<string, unknown>),
  )
  createInterface({ input: child.stderr }).on('line', line => errors.push(line))
  child.stdin.on('error', () => {})
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  return {
    process: child,
    said,
    errors,
    tell: line => child.stdin.write(`${line}\n`),
    hear: async key => {
      const found = () => said.find(document => key in document)
      await waitFor(() => found() !== undefined || hasExited(), `the child says "${key}"`)
      const document = found()
      if (document === undefined)
        throw new Error(`the child ended without saying "${key}":\n${errors.join('\n')}`)
      return String(document[key])
    },
    exited: () => waitFor(hasExited, 'the child ends'),
  }
}
