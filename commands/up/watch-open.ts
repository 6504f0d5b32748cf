import type { Context } from '../command.ts'
import type { Telling } from './read-open.ts'
import { repeatWhileWorking } from './repeat.ts'
import { tellOpen } from './tell-open.ts'

/** What is open is told within a minute. */
const POLL_EVERY_MS = 15_000

/**
 * Looks at what is open as long as a worker works, and has the channels of `notify` told. What is
 * open is computed anew each time, so nothing is lost with the process; without a process nobody is
 * told, which is what the heartbeat is for.
 */
export function watchOpen({ terminal }: Pick<Context, 'terminal'>, telling: Telling): void {
  const { config, worker } = telling
  const { channels, heartbeat } = config.notify
  if (channels.length === 0 && heartbeat === undefined) return
  const watched = { ...telling, firstSeen: new Map<string, number>() }
  repeatWhileWorking(worker, {
    everyMs: POLL_EVERY_MS,
    run: signal => tellOpen(watched, signal),
    say: error => terminal.log(`what is open could not be sent to anybody: ${String(error)}`),
  })
}
