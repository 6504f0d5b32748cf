import type { RunEvent } from '../../activities/run-event.ts'
import { toMinute } from '../../calendar/days.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import type { Context } from '../command.ts'
import { logStanding } from '../reconcile/standing.ts'
import { pathFromHere } from '../terminal/started-as.ts'

/**
 * One line at the start and at the end of each run of a worker, and where it waits and why; after a
 * night also what is due of its store.
 */
export function watchRuns(worker: RunningWorker, context: Context): void {
  const { terminal } = context
  worker.dependencies.onRunEvent = event => {
    terminal.log(terminal.json ? JSON.stringify(event) : describeEvent(event))
    const isOver = event.event === 'done' || event.event === 'failed'
    if (event.kind !== 'nightly' || !isOver) return
    void logStanding(worker, context, event.store)
  }
}

/** `2026-11-22 11:30Z nightly downtown 2026-11-21: done, 4 files`. */
export function describeEvent({
  at,
  kind,
  store,
  day,
  event,
  detail,
  manifests = [],
}: RunEvent): string {
  const said = [event === 'files' ? '' : event, detail].filter(text => text !== '').join(', ')
  return [
    `${toMinute(at)}Z ${kind} ${store} ${day}: ${said}`,
    ...manifests.map(path => `  ${pathFromHere(path)}`),
  ].join('\n')
}
