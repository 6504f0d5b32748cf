import { randomUUID } from 'node:crypto'
import { activityInfo, cancellationSignal } from '@temporalio/activity'
import { fromIso, toIso } from '../calendar/days.ts'
import { split, wireRange } from '../calendar/windows.ts'
import type { CommittedWindow, WindowCounts } from '../connectors/destination/windows.ts'
import {
  evidenceOf,
  supersededRows,
  stagePage,
  startReading,
} from '../connectors/partner/read-window.ts'
import type { Reading, StagePage } from '../connectors/partner/read-window.ts'
import { watchedShape } from '../connectors/partner/shape-watch.ts'
import type { Shape } from '../connectors/shape.ts'
import { provenSpan, rowsToShow } from '../connectors/sqlite/known-rows.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'
import { findAbsent } from './find-absent.ts'
import type { WindowText } from './plan-windows.ts'
import { readList } from './read-list.ts'

export interface WindowInput {
  store: string
  stream: string
  timeZone: string
  window: WindowText
}

/** What a workflow learns of a window: counts and ids, never records (INV-10). */
export type WindowResult =
  | { status: 'proven' | 'unproven'; counts: WindowCounts; requests: number; findings: string[] }
  | { status: 'split'; windows: WindowText[]; requests: number }

/** Reads one window until it is proven or given up, and commits it with its ledger row. */
export async function syncWindow(
  dependencies: Dependencies,
  input: WindowInput,
): Promise<WindowResult> {
  const { destination, readings, progress, now } = dependencies
  const stream = dependencies.stream(input.stream)
  const endpoint = dependencies.store(input.store).endpoint(stream)
  const interval = { startMs: fromIso(input.window.start), endMs: fromIso(input.window.end) }
  const wire = wireRange(interval, input.timeZone, stream.windowing)
  const key = readingKey(input)
  // Taken out while it is worked on: an attempt that was given up but still runs cannot share it
  // with the next one.
  const reading: Reading = readings.get(key)?.reading ?? startReading(randomUUID())
  readings.delete(key)
  // Ends by itself before Temporal gives it up: what was read so far is kept, and the next attempt
  // goes on.
  const outOfTime = AbortSignal.timeout(dependencies.longestAttemptMs)
  const signal = AbortSignal.any([cancellationSignal(), outOfTime])
  const stage: StagePage = async page => {
    await destination.stage({ reading: reading.id, ...page })
    progress.pages++
  }
  try {
    // Before the first page: what a neighbouring window brings meanwhile is not missed by this one.
    const known = await rowsToShow(destination.db, input.store, stream, interval)
    const verdict = await readList(
      dependencies,
      input.store,
      endpoint,
      reading,
      wire,
      stage,
      signal,
    )
    // Where no row was seen, no smaller window shows more.
    const halves =
      verdict.status === 'unproven' &&
      verdict.reason === 'moving' &&
      reading.staged.some(rows => rows.length > 0)
        ? split(interval, input.timeZone, stream.windowing)
        : undefined
    if (halves !== undefined) {
      await destination.discard(reading.id)
      progress.planned += halves.length - 1
      return {
        status: 'split',
        windows: halves.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })),
        requests: reading.requests,
      }
    }
    const listed = evidenceOf(reading, endpoint, wire)
    const { gone, moved, doubt } =
      verdict.status === 'proven'
        ? await findAbsent(
            dependencies,
            input.store,
            endpoint,
            interval,
            input.timeZone,
            reading,
            known,
            signal,
          )
        : { gone: [], moved: [], doubt: undefined }
    for (const page of moved) await stagePage(reading, page, stage)
    const { superseded, rows } = supersededRows(reading.staged)
    const status = doubt === undefined ? verdict.status : 'unproven'
    const evidence = {
      ...(verdict.status === 'unproven'
        ? { reason: verdict.reason }
        : doubt === undefined
          ? { by: verdict.by }
          : { reason: doubt }),
      ...listed,
      ...(stream.parent === undefined
        ? {}
        : {
            each: {
              of: stream.parent.stream,
              values: reading.lists.size,
              ...(await provenSpan(destination.db, input.store, stream.parent.stream)),
            },
          }),
      ...(gone.length > 0 ? { gone: gone.length } : {}),
    }
    const findings = [...reading.findings].map(([code, detail]) => ({ code, detail }))
    const committed = await destination.commit({
      reading: reading.id,
      store: input.store,
      stream: stream.name,
      window: input.window,
      status,
      evidence,
      superseded,
      gone,
      fetched: rows,
      findings,
      readAt: new Date(now()).toISOString(),
      seen: seenBy(reading),
    })
    progress.done++
    progress.fetched += rows
    return {
      status,
      counts: committed.counts,
      requests: reading.requests,
      findings: committed.findingIds,
    }
  } catch (error) {
    const isFinal = error instanceof TillageError && error.recovery === 'fatal'
    if (isFinal || cancellationSignal().aborted || readings.has(key))
      await destination.discard(reading.id)
    else await keepReading(dependencies, key, reading)
    throw outOfTime.aborted && !cancellationSignal().aborted
      ? new PartnerError(
          'PARTNER_UNREACHABLE',
          `${Math.round(dependencies.longestAttemptMs / 60_000)} minutes were not enough to read this window`,
          {
            cause: error,
            remedy: 'What was read is kept, and the next attempt goes on with the rest.',
          },
        )
      : error
  }
}

/**
 * Nobody comes back for the readings of a run that was cancelled between two attempts, or that went
 * on in another process.
 */
const FORGOTTEN_AFTER_MS = 2 * 3_600_000

async function keepReading(
  { readings, destination, now }: Dependencies,
  key: string,
  reading: Reading,
): Promise<void> {
  for (const [
    other,
    {
      reading: { id },
      keptAtMs,
    },
  ] of readings) {
    if (now() - keptAtMs < FORGOTTEN_AFTER_MS) continue
    readings.delete(other)
    await destination.discard(id)
  }
  readings.set(key, { reading, keptAtMs: now() })
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
export async function recordUnproven(
  dependencies: Dependencies,
  input: UnprovenInput,
): Promise<WindowResult> {
  const { destination, readings, now } = dependencies
  const key = readingKey(input)
  const given = readings.get(key)?.reading ?? startReading(randomUUID())
  readings.delete(key)
  const { superseded, rows } = supersededRows(given.staged)
  const committed: CommittedWindow = await destination.commit({
    reading: given.id,
    store: input.store,
    stream: input.stream,
    window: input.window,
    status: 'unproven',
    evidence: { reason: input.code, detail: input.message },
    superseded,
    fetched: rows,
    findings: [{ code: input.code, detail: input.message }],
    readAt: new Date(now()).toISOString(),
    seen: seenBy(given),
  })
  dependencies.progress.done++
  return {
    status: 'unproven',
    counts: committed.counts,
    requests: given.requests,
    findings: committed.findingIds,
  }
}

const seenBy = ({ watch }: Reading): { shape: Shape; run: string } => ({
  shape: watchedShape(watch),
  run: activityInfo().workflowExecution?.runId ?? '',
})

const readingKey = ({ store, stream, window }: WindowInput): string =>
  `${store}/${stream}/${window.start}/${window.end}`
