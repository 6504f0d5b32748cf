import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { askWork } from './open-work.ts'

/** A server that does not answer in this time is asked again. */
const ANSWER_MS = 5_000
const PAUSE_MS = 250
/** Whoever is there takes the word to stop within this. */
const TAKEN_MS = 5_000

/** Ctrl-C for one workflow. */
export interface Stopping {
  /** To be called when another run of the workflow may have begun: Ctrl-C is for that one, too. */
  repeat(): void
  /** The workflow is over, or nobody waits for it any more. */
  close(): void
}

/**
 * From Ctrl-C on, tells a workflow to stop until the server has taken that: it may be too busy, and
 * the workflow may not be there yet, while its start is on the way. Told once and not heard, a
 * workflow would go on writing to the API. One that no worker takes up to end it in order is ended
 * by the server.
 */
export function stopOnSignal(client: Client, workflowId: string, signal: AbortSignal): Stopping {
  let isOver = false
  const { workflow } = client
  const untilTaken = async (step: () => Promise<unknown>): Promise<void> => {
    while (!isOver)
      try {
        await client.withDeadline(Date.now() + ANSWER_MS, step)
        return
      } catch {
        await pause(PAUSE_MS)
      }
  }
  const stop = async (): Promise<void> => {
    await untilTaken(() => workflow.getHandle(workflowId).cancel())
    while (!isOver) {
      await pause(PAUSE_MS)
      await untilTaken(() => endIfUntaken(client, workflowId))
    }
  }
  const onSignal = (): void => void stop()
  const repeat = (): void => {
    if (signal.aborted) onSignal()
  }
  signal.addEventListener('abort', onSignal, { once: true })
  return {
    repeat,
    close() {
      isOver = true
      signal.removeEventListener('abort', onSignal)
    },
  }
}

async function endIfUntaken(client: Client, workflowId: string): Promise<void> {
  const open = await askWork(client, workflowId)
  if (open?.untakenSinceMs === undefined || Date.now() - open.untakenSinceMs < TAKEN_MS) return
  await client.workflow
    .getHandle(workflowId, open.runId)
    .terminate('it was told to stop, and no worker was there to end it in order')
}
