import { randomUUID } from 'node:crypto'
import { activityInfo, cancellationSignal } from '@temporalio/activity'
import { dayOf } from '../calendar/clock.ts'
import { HOUR_MS, MINUTE_MS, fromIso, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { wireRange } from '../calendar/windows.ts'
import type { WindowCounts, WindowToCommit } from '../connectors/destination/windows.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { pastUntilMs } from '../reading/api-time.ts'
import type { ReadContext } from '../reading/context.ts'
import { proveWindow } from '../reading/prove-window.ts'
import {
  pageToStage,
  settlePages,
  startReading,
  supersededRows,
  watchedShape,
} from '../reading/reading.ts'
import type { Reading } from '../reading/reading.ts'
import type { Dependencies, KeptReading } from './dependencies.ts'
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
    // Failures reach workflows with one of our codes (`atBoundary`), which is text in a history.
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

/** Which window an activity is about; lives in histories. */
export interface WindowInput {
  store: string
  stream: string
  timeZone: string
  window: WindowText
}

/** One attempt at a window: what to read, what was read so far, and until when. */
export interface Attempt {
  key: string
  reading: Reading
  startedMs: number
  context: ReadContext
  outOfTime: AbortSignal
}

/**
 * Takes the reading of an earlier attempt of the same run, or begins one: what another run has left
 * behind, or what is hours old, would be proven as if it had been read now. It is taken out while
 * it is worked on: an attempt that was given up but still runs cannot share it with the next one.
 */
export async function resumeReading(
  { readings, destination, now }: Dependencies,
  input: WindowInput,
): Promise<Reading> {
  const key = keyOf(input)
  const kept = readings.get(key)
  readings.delete(key)
  if (kept === undefined) return startReading(randomUUID())
  if (kept.run === runOfActivity() && !hasExpired(kept, now())) return kept.reading
  await destination.windows.discard(kept.reading.id)
  return startReading(randomUUID())
}

/** Of the workflow: attempts of one activity share it. */
const runOfActivity = (): string => activityInfo().workflowExecution?.runId ?? ''

/**
 * Begins an attempt. It ends by itself when its activity has no time left, before Temporal gives it
 * up, and keeps what it has read.
 */
export async function openReading(
  dependencies: Dependencies,
  input: WindowInput,
  outOfTime: AbortSignal,
): Promise<Attempt> {
  const { destination, backPressure, busy, progress, now } = dependencies
  const { store, timeZone } = input
  const stream = dependencies.stream(input.stream)
  const window = { startMs: fromIso(input.window.start), endMs: fromIso(input.window.end) }
  const reading = await resumeReading(dependencies, input)
  const startedMs = performance.now()
  const context: ReadContext = {
    store,
    stream,
    endpoint: dependencies.store(store).endpoint(stream),
    window,
    timeZone,
    wire: wireRange(window, timeZone, stream.windowing),
    destination,
    backPressure,
    limits: dependencies.store(store).settings.limits,
    startedMs,
    signal: AbortSignal.any([cancellationSignal(), outOfTime]),
    now,
    async keepPage(page, number) {
      const { windows } = destination
      await busy.writing(() => windows.stage(pageToStage(reading.id, page, number)))
      progress.pages++
    },
  }
  return { key: keyOf(input), reading, startedMs, context, outOfTime }
}

/** Whether no later attempt can do anything with what was read until this error. */
const isUseless = (error: unknown): boolean =>
  error instanceof TillageError &&
  (error.recovery === 'fatal' || ['WINDOW_TOO_LARGE', 'WINDOW_TAKEN_OVER'].includes(error.code))

/**
 * After a failure: what was read is kept for the next attempt, and given up where there is none.
 * Answers what to throw.
 */
export async function endAttempt(
  dependencies: Dependencies,
  { key, reading, startedMs, outOfTime }: Attempt,
  error: unknown,
): Promise<unknown> {
  const { destination, readings, longestAttemptMs } = dependencies
  const wasCancelled = cancellationSignal().aborted
  reading.earlierMs += performance.now() - startedMs
  // A page that could not be kept was counted as seen already.
  const isBroken = (await settlePages(reading)) !== undefined
  if (isUseless(error) || isBroken || wasCancelled || readings.has(key))
    await destination.windows.discard(reading.id)
  else await keepReading(dependencies, key, reading)
  if (!outOfTime.aborted || wasCancelled) return error
  return new PartnerError(
    'PARTNER_UNREACHABLE',
    `${Math.round(longestAttemptMs / MINUTE_MS)} minutes were not enough to read this window`,
    {
      cause: error,
      remedy: 'What was read is kept, and the next attempt goes on with the rest.',
    },
  )
}

/**
 * Readings of a run that was cancelled between two attempts, or that went on in another process,
 * are not asked for again.
 */
const EXPIRED_AFTER_MS = 2 * HOUR_MS

const hasExpired = ({ keptAtMs }: KeptReading, nowMs: number): boolean =>
  nowMs - keptAtMs >= EXPIRED_AFTER_MS

async function keepReading(
  { readings, destination, now }: Dependencies,
  key: string,
  reading: Reading,
): Promise<void> {
  for (const [other, kept] of readings) {
    if (!hasExpired(kept, now())) continue
    readings.delete(other)
    await destination.windows.discard(kept.reading.id)
  }
  readings.set(key, { reading, keptAtMs: now(), run: runOfActivity() })
}

const keyOf = ({ store, stream, window }: WindowInput): string =>
  `${store}/${stream}/${window.start}/${window.end}`
