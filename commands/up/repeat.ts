import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningWorker } from '../../temporal/session.ts'

/** Looking takes at most so much of the time of a process that has other work. */
const SHARE_OF_TIME = 20

/** What a worker looks at again and again, and who hears that it could not. */
export interface Looking {
  everyMs: number
  look(signal: AbortSignal): Promise<void>
  /** Once, until it could again. */
  say(error: unknown): void
}

/** Looks at once, and again after each pause, as long as a worker works. */
export function repeatWhileWorking(
  { stopped }: Pick<RunningWorker, 'stopped'>,
  looking: Looking,
): void {
  const over = new AbortController()
  stopped.then(
    () => over.abort(),
    () => over.abort(),
  )
  void repeat(looking, over.signal)
}

async function repeat({ everyMs, look, say }: Looking, signal: AbortSignal): Promise<void> {
  let hasFailed = false
  while (!signal.aborted) {
    const startedMs = Date.now()
    try {
      await look(signal)
      hasFailed = false
    } catch (error) {
      if (!signal.aborted && !hasFailed) say(error)
      hasFailed = true
    }
    const pauseMs = Math.max(everyMs, (Date.now() - startedMs) * SHARE_OF_TIME)
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}
