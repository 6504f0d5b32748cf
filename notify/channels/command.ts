import { spawn } from 'node:child_process'
import type { Message } from './message.ts'
import { explainFailure, NotTaken } from './not-taken.ts'

/** What a program needs to be found and to run; keys of stores stand in the rest. */
const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'SystemRoot', 'USERPROFILE']

/** Exit status 0 says that it was taken. What it prints is not kept. */
export async function runCommand(
  [program = '', ...options]: readonly string[],
  { key, document }: Message,
  signal: AbortSignal,
): Promise<void> {
  const environment = ENVIRONMENT.flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const child = spawn(program, options, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...Object.fromEntries(environment), TILLAGE_IDEMPOTENCY_KEY: key },
    signal,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  // One that reads nothing may have ended by then.
  child.stdin.on('error', () => {}).end(`${JSON.stringify(document)}\n`)
  try {
    const status = await ended
    if (status !== 0) throw new NotTaken(`it ended with ${status ?? 'a signal'}`)
  } catch (error) {
    throw explainFailure(signal.aborted ? signal.reason : error)
  }
}
