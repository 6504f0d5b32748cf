import { setTimeout as delay } from 'node:timers/promises'
import { checkNamespace } from '../open-connection.ts'
import { findPortProblem } from '../probe-port.ts'
import { EMBEDDED_NAMESPACE } from '../settings.ts'
import { readServerRecord } from './server-folder.ts'
import type { ServerFolder, ServerRecord } from './server-folder.ts'

const PROBE_MS = 25
/**
 * Short: a channel to a server that dies meanwhile fails only when this time is over, and a new
 * attempt finds the next server.
 */
const ANSWER_MS = 2_000
/**
 * A step that took longer was no waiting: this process had other work to do, a check of the whole
 * database for one, or the machine was asleep.
 */
const LONGEST_STEP_MS = 5_000

/** The record of a server that answers for its namespace; or why there is none. */
export type AwaitedServer =
  | { readonly record: ServerRecord }
  | { readonly problem: string; readonly ended: boolean }

/** Waits until the folder's server answers, for as long as there is a keeper to hope for. */
export async function awaitServer(
  files: ServerFolder,
  timeoutMs: number,
  isGone: () => boolean,
): Promise<AwaitedServer> {
  let waitedMs = 0
  let problem = 'it did not begin to listen'
  while (waitedMs < timeoutMs) {
    if (isGone()) return { problem: 'it ended before it answered', ended: true }
    const begunMs = Date.now()
    const record = readServerRecord(files)
    if (record !== undefined && (await isListening(record))) {
      try {
        await checkNamespace({ address: record.address }, EMBEDDED_NAMESPACE, ANSWER_MS)
        return { record }
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error)
      }
    }
    await delay(PROBE_MS)
    waitedMs += Math.min(Date.now() - begunMs, LONGEST_STEP_MS)
  }
  return { problem: `it did not answer within ${timeoutMs / 1000} s: ${problem}`, ended: false }
}

const isListening = async ({ port }: ServerRecord): Promise<boolean> =>
  (await findPortProblem('127.0.0.1', port)) === undefined
