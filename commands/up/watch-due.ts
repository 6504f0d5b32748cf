import { plansThatWait } from '../../push/waiting.ts'
import { startWhenDue } from '../../temporal/run-plan.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import type { Context } from '../command.ts'
import { repeatWhileWorking } from './repeat.ts'

const POLL_EVERY_MS = 5 * 60_000

/**
 * Has rows of plans sent when their time has come, also those that nobody waits with any more: the
 * command that applied them was killed, say, or what waited has failed.
 */
export function watchDue({ terminal }: Pick<Context, 'terminal'>, worker: RunningWorker): void {
  repeatWhileWorking(worker, {
    everyMs: POLL_EVERY_MS,
    run: async () => startWhenDue(worker, await plansThatWait(worker.push)),
    say: error =>
      terminal.log(`rows that wait for their time were not looked at: ${String(error)}`),
  })
}
