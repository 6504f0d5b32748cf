import type { OutageEvent, RunEvent, WindowEvent } from '../../activities/dependencies.ts'
import { toIso, toMinute } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import type { LogEvent } from '../../log/log.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import type { Context } from '../command.ts'
import { logStanding } from '../reconcile/standing.ts'
import { pathFromHere } from '../terminal/started-as.ts'

/**
 * One line at the start and at the end of each run of a worker, and where it waits and why; after a
 * night also what is due of its store.
 */
export function watchRuns(
  worker: RunningWorker,
  { terminal, log }: Pick<Context, 'terminal' | 'log'>,
  config: Config,
): void {
  worker.dependencies.onWindowEvent = event => log?.(describeWindow(event))
  worker.dependencies.onOutageEvent = event => log?.(describeOutage(event, Date.now()))
  worker.dependencies.onRunEvent = event => {
    if (terminal.json) terminal.log(JSON.stringify(event))
    else log?.(asLogEvent(event))
    const isOver = event.event === 'done' || event.event === 'failed'
    if (event.kind !== 'nightly' || !isOver) return
    void logStanding(worker, { config, terminal }, event.store)
  }
}

const LEVEL_OF: Readonly<Partial<Record<RunEvent['event'], LogEvent['level']>>> = {
  failed: 'error',
  waits: 'warning',
}

const asLogEvent = (event: RunEvent): LogEvent => ({
  level: LEVEL_OF[event.event] ?? 'info',
  event: event.event,
  run: `${event.kind}/${event.store}/${event.day}`,
  store: event.store,
  text: describeEvent(event),
})

function describeWindow({ store, stream, window, status, code, run }: WindowEvent): LogEvent {
  const at = `${window.start}/${window.end}`
  const why = code === undefined ? '' : ` (${code})`
  return {
    level: status === 'proven' ? 'debug' : 'warning',
    event: 'window',
    run,
    store,
    stream,
    window: at,
    code,
    text: `${store} ${stream} ${at}: ${status}${why}`,
  }
}

const SAID_OF_OUTAGE: Readonly<Record<OutageEvent['event'], string>> = {
  api_gone: 'does not answer, and is waited for',
  api_back: 'answers again',
  api_given_up: 'was waited for in vain',
}

/** `2026-11-22 11:34Z downtown: the API answers again, after 240 s (connection refused)`. */
function describeOutage({ store, sinceMs, reason, event }: OutageEvent, nowMs: number): LogEvent {
  const seconds = Math.round((nowMs - sinceMs) / 1000)
  const after = event === 'api_gone' ? '' : `, after ${seconds} s`
  return {
    level: event === 'api_back' ? 'info' : 'warning',
    event,
    store,
    code: event === 'api_back' ? undefined : 'PARTNER_UNREACHABLE',
    text: `${toMinute(toIso(nowMs))}Z ${store}: the API ${SAID_OF_OUTAGE[event]}${after} (${reason})`,
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
