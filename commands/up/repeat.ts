import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningWorker } from '../../temporal/session.ts'

/** It takes at most so much of the time of a process that has other work. */
const SHARE_OF_TIME = 20

/** What a worker does again and again, and who hears that it could not. */
export interface Repeated {
  everyMs: number
  run(signal: AbortSignal): Promise<void>
  /** Once, until it could again. */
  say(error: unknown): void
}

/** Runs it at once, and again after each pause, as long as a worker works. */
export function repeatWhileWorking(
  { stopped }: Pick<RunningWorker, 'stopped'>,
  task: Repeated,
): void {
  const over = new AbortController()
  stopped.then(
    () => over.abort(),
    () => over.abort(),
  )
  void repeat(task, over.signal)
}

async function repeat({ everyMs, run, say }: Repeated, signal: AbortSignal): Promise<void> {
  let hasFailed = false
  while (!signal.aborted) {
    const startedMs = Date.now()
    try {
      await run(signal)
      hasFailed = false
    } catch (error) {
      if (!signal.aborted && !hasFailed) say(error)
      hasFailed = true
    }
    const pauseMs = Math.max(everyMs, (Date.now() - startedMs) * SHARE_OF_TIME)
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}
