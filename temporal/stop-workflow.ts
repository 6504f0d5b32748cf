import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@temporalio/client'

/** A server that does not answer in this time is asked again. */
const ANSWER_MS = 5_000
const PAUSE_MS = 250

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
 * workflow would go on writing to the API.
 */
export function stopOnSignal(client: Client, workflowId: string, signal: AbortSignal): Stopping {
  let isOver = false
  const cancel = () => client.workflow.getHandle(workflowId).cancel()
  const stop = async (): Promise<void> => {
    while (!isOver)
      try {
        await client.withDeadline(Date.now() + ANSWER_MS, cancel)
        return
      } catch {
        await pause(PAUSE_MS)
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
