import type { Dependencies, Outage, Progress } from '../activities/dependencies.ts'
import { toIso } from '../calendar/days.ts'

const REPORT_EVERY_MS = 500

type Watched = Pick<Dependencies, 'progress' | 'outages' | 'stores' | 'store' | 'busy'>

type Waited = Pick<Outage, 'sinceMs' | 'reason' | 'nextTryMs'>

/** What tells for how long nothing is asked. */
interface Delays {
  outages: ReadonlyMap<string, Waited>
  stores: readonly { id: string }[]
  store(id: string): { governor: { allowance: { pausedMs: number } } }
}

/**
 * Says every so often what the activities of this process have done; those of another worker are
 * not seen here. Answers what ends it.
 */
export function reportProgress(watched: Watched, progress: (line: string) => void): () => void {
  const { progress: counted, busy } = watched
  const startedMs = Date.now()
  const before = { ...counted }
  const timer = setInterval(() => {
    const nowMs = Date.now()
    const waiting = describeDelays(watched, nowMs)
    const done = since(before, counted)
    const said = describeProgress(done, nowMs - startedMs) + describeSilence(busy.silentMs())
    progress(waiting.length > 0 ? waiting.join('\n') : said)
  }, REPORT_EVERY_MS)
  return () => clearInterval(timer)
}

/** Which stores are waited for, and why: their API is gone, or has asked for a pause. */
export const describeDelays = ({ outages, stores, store }: Delays, nowMs: number): string[] => [
  ...[...outages].flatMap(([id, outage]) => describeOutage(id, outage, nowMs)),
  ...stores.flatMap(({ id }) => describePause(id, store(id).governor.allowance.pausedMs, nowMs)),
]

/** What was done since the counts were others: another sync of this process may have counted. */
const since = (before: Progress, now: Progress): Progress => ({
  planned: now.planned - before.planned,
  done: now.done - before.done,
  fetched: now.fetched - before.fetched,
  pages: now.pages - before.pages,
  newest: now.newest === before.newest ? undefined : now.newest,
})

/**
 * `12 of 27 windows, 147 records/s, about 3 s more; downtown batches 2026-11-15 proven`. Records
 * are counted as their window is done; until the first is, pages tell that one is read.
 */
export function describeProgress(
  { planned, done, fetched, pages, newest }: Progress,
  tookMs: number,
): string {
  if (planned === 0) return 'asking what there is to read'
  const seconds = Math.max(tookMs, 1) / 1000
  const isOver = planned > 0 && done >= planned
  const isFirst = done === 0
  const count = isFirst ? pages : Math.round(fetched / seconds)
  const shown = count.toLocaleString('en-US')
  const rate = isFirst ? `page ${shown}` : `${shown} records/s`
  const parts = [
    `${done} of ${planned} windows`,
    ...(isOver ? ['finishing'] : [rate, estimateRest({ planned, done }, seconds)]),
  ]
  const said = parts.filter(part => part !== '').join(', ')
  return newest === undefined || isOver ? said : `${said}; ${newest}`
}

/** Answers that take less are nothing to wonder about. */
const NOTABLE_SILENCE_MS = 10_000

/** `; the API has not answered for 25 s`, of requests that are under way. */
export const describeSilence = (silentMs: number): string =>
  silentMs < NOTABLE_SILENCE_MS
    ? ''
    : `; the API has not answered for ${Math.floor(silentMs / 1000)} s`

/** Fewer say nothing about the others. */
const FEWEST_FOR_ESTIMATE = 3

function estimateRest(
  { planned, done }: Pick<Progress, 'planned' | 'done'>,
  seconds: number,
): string {
  if (done < FEWEST_FOR_ESTIMATE) return ''
  return `about ${Math.ceil((seconds / done) * (planned - done))} s more`
}

/** `downtown: waiting for the API since 10:42Z (connection refused), trying again in 20 s`. */
function describeOutage(
  store: string,
  { sinceMs, reason, nextTryMs }: Waited,
  nowMs: number,
): string[] {
  if (nextTryMs === undefined) return []
  const seconds = Math.max(0, Math.ceil((nextTryMs - nowMs) / 1000))
  const since = toIso(sinceMs).slice(11, 16)
  return [`${store}: waiting for the API since ${since}Z (${reason}), trying again in ${seconds} s`]
}

/** Shorter pauses are part of finding out how much the API takes. */
const NOTABLE_PAUSE_MS = 5_000

/** `downtown: the API asked for a pause until 10:47Z`; its `Retry-After`, an hour at most. */
function describePause(store: string, pausedMs: number, nowMs: number): string[] {
  if (pausedMs <= NOTABLE_PAUSE_MS) return []
  const until = toIso(nowMs + pausedMs).slice(11, 16)
  return [`${store}: the API asked for a pause until ${until}Z`]
}
