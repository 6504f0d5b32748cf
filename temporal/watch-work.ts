import type { Client } from '@temporalio/client'
import { askWork } from './open-work.ts'

/** So long may a step of a workflow wait for a worker before somebody is told. */
export const UNTAKEN_MS = 10_000
const LOOK_MS = 2_000

/** What is watched, and who hears of it. */
export interface Watched {
  client: Client
  workflowId: string
  say: (line: string) => void
}

/**
 * Says so where nobody takes a workflow's next step, or where the server does not answer, for as
 * long as somebody waits for it. Call the answer to stop.
 */
export function watchWork({ client, workflowId, say }: Watched): () => void {
  let isLooking = false
  let lastSaid = ''
  const look = async (): Promise<void> => {
    const line = await describeWaiting(client, workflowId)
    if (line !== '' && line !== lastSaid) say(line)
    lastSaid = line
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => (isLooking = false))
  }, LOOK_MS)
  return () => clearInterval(timer)
}

async function describeWaiting(client: Client, workflowId: string): Promise<string> {
  try {
    const open = await client.withDeadline(Date.now() + UNTAKEN_MS, () =>
      askWork(client, workflowId),
    )
    return isUntaken(open?.untakenSinceMs, Date.now())
      ? `${workflowId} waits: for ${UNTAKEN_MS / 1_000} s no worker has taken its next step ` +
          `(task queue ${open!.taskQueue}). Is tillage up, or tillage worker, at work elsewhere? ` +
          'Ctrl-C ends the waiting.'
      : ''
  } catch {
    return `${workflowId} waits: Temporal's server does not answer. Ctrl-C ends the waiting.`
  }
}

export const isUntaken = (sinceMs: number | undefined, nowMs: number): boolean =>
  sinceMs !== undefined && nowMs - sinceMs > UNTAKEN_MS
