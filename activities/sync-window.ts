import { activityInfo } from '@temporalio/activity'
import { dayOf } from '../calendar/clock.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/interval.ts'
import type { WindowCounts, WindowToCommit } from '../connectors/destination/windows.ts'
import { watchedShape } from '../connectors/partner/shape-watch.ts'
import type { ErrorCode } from '../errors.ts'
import { pastUntilMs } from '../reading/api-time.ts'
import { proveWindow } from '../reading/prove-window.ts'
import { settlePages, supersededRows } from '../reading/reading.ts'
import type { Reading } from '../reading/reading.ts'
import type { Dependencies } from './dependencies.ts'
import { endAttempt, openReading, resumeReading } from './open-reading.ts'
import type { WindowInput } from './open-reading.ts'
import type { WindowText } from './plan-windows.ts'

/** What a workflow learns of a window: counts and ids, never records (INV-10). */
export type WindowResult =
  | { status: 'proven' | 'unproven'; counts: WindowCounts; requests: number; findings: string[] }
  | { status: 'split'; windows: WindowText[]; requests: number }

/**
 * Reads one window until it is proven, given up or out of time, and commits it with its ledger row.
 */
export async function syncWindow(
  dependencies: Dependencies,
  input: WindowInput,
  outOfTime: AbortSignal,
): Promise<WindowResult> {
  const attempt = await openReading(dependencies, input, outOfTime)
  const { context, reading } = attempt
  try {
    const outcome = await proveWindow(context, reading)
    if (outcome.status === 'split') return await splitWindow(dependencies, reading, outcome.halves)
    return await commit(dependencies, input, reading, {
      status: outcome.status,
      evidence: outcome.evidence,
      gone: outcome.deleted,
      findings: [...reading.findings].map(([code, detail]) => ({ code, detail })),
    })
  } catch (error) {
    throw await endAttempt(dependencies, attempt, error)
  }
}

/** What was read of a window that moves is given up; its halves are read instead. */
async function splitWindow(
  { destination, progress }: Dependencies,
  reading: Reading,
  halves: readonly Interval[],
): Promise<WindowResult> {
  await destination.windows.discard(reading.id)
  progress.planned += halves.length - 1
  return {
    status: 'split',
    windows: halves.map(half => ({ start: toIso(half.startMs), end: toIso(half.endMs) })),
    requests: reading.requests,
  }
}

export interface UnprovenInput extends WindowInput {
  /** Error code and text of the last attempt. */
  code: string
  message: string
}

/**
 * Records that a window could not be read, with its reason, after the last attempt. What was read
 * of it is kept: the rows are real.
 */
export const recordUnproven = async (
  dependencies: Dependencies,
  input: UnprovenInput,
): Promise<WindowResult> =>
  commit(dependencies, input, await resumeReading(dependencies, input), {
    status: 'unproven',
    evidence: { reason: input.code, detail: input.message },
    // Failures reach workflows with one of our codes (boundary.ts), which is text in a history.
    findings: [{ code: input.code as ErrorCode, detail: input.message }],
  })

/** `downtown transactions 2026-11-15 to 2026-11-19`, in days of the store. */
function describeWindow(
  dependencies: Dependencies,
  { store, stream, timeZone, window }: WindowInput,
): string {
  const name = `${store} ${stream}`
  if (dependencies.stream(stream).windowing === 'full-refresh') return name
  const first = dayOf(fromIso(window.start), timeZone)
  const last = dayOf(fromIso(window.end) - 1, timeZone)
  return first === last ? `${name} ${first}` : `${name} ${first} to ${last}`
}

/** Commits what was staged; the one way in which rows come into the tables. */
async function commit(
  dependencies: Dependencies,
  input: WindowInput,
  reading: Reading,
  outcome: Pick<WindowToCommit, 'status' | 'evidence' | 'gone' | 'findings'>,
): Promise<WindowResult> {
  const { destination, progress, busy } = dependencies
  const { store, stream, window } = input
  // After the last attempt nothing is under way; what could not be kept counts for nothing.
  await settlePages(reading)
  const { superseded, rows } = supersededRows(reading.staged)
  const toCommit = {
    ...outcome,
    reading: reading.id,
    store,
    stream,
    window,
    superseded,
    since: reading.since,
    fetched: rows,
    readAt: toIso(await pastUntilMs(dependencies, store)),
    seen: {
      shape: watchedShape(reading.watch),
      run: activityInfo().workflowExecution?.runId ?? '',
    },
  }
  const { counts, findingIds } = await busy.writing(() => destination.windows.commit(toCommit))
  dependencies.onWindowEvent({
    store,
    stream,
    window,
    status: outcome.status,
    code: outcome.status === 'proven' ? undefined : String(outcome.evidence['reason']),
    run: toCommit.seen.run,
  })
  progress.done++
  progress.fetched += rows
  progress.newest = `${describeWindow(dependencies, input)} ${outcome.status}`
  return { status: outcome.status, counts, requests: reading.requests, findings: findingIds }
}
