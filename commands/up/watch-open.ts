import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../command.ts'
import type { Telling } from './read-open.ts'
import { tellOpen } from './tell-open.ts'
import type { Watched } from './tell-open.ts'

/** What is open is told within a minute. */
const LOOK_EVERY_MS = 15_000
/** Looking takes at most so much of the time of a process that has other work. */
const SHARE_OF_TIME = 20

/**
 * Looks at what is open as long as a worker works, and has the channels of `notify` told. What is
 * open is computed anew each time, so nothing is lost with the process; without a process nobody is
 * told, which is what the heartbeat is for.
 */
export function watchOpen({ terminal }: Pick<Context, 'terminal'>, telling: Telling): void {
  const { config, worker } = telling
  const { channels, heartbeat } = config.notify
  if (channels.length === 0 && heartbeat === undefined) return
  const over = new AbortController()
  worker.stopped.then(
    () => over.abort(),
    () => over.abort(),
  )
  void watch({ ...telling, firstSeen: new Map() }, over.signal, error =>
    terminal.log(`what is open could not be sent to anybody: ${String(error)}`),
  )
}

async function watch(
  watched: Watched,
  signal: AbortSignal,
  say: (error: unknown) => void,
): Promise<void> {
  let hasFailed = false
  while (!signal.aborted) {
    const startedMs = Date.now()
    try {
      await tellOpen(watched, signal)
      hasFailed = false
    } catch (error) {
      if (!signal.aborted && !hasFailed) say(error)
      hasFailed = true
    }
    const pauseMs = Math.max(LOOK_EVERY_MS, (Date.now() - startedMs) * SHARE_OF_TIME)
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}
