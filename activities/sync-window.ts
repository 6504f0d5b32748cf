import { randomUUID } from 'node:crypto'
import { activityInfo, cancellationSignal } from '@temporalio/activity'
import { evidenceOf, losersOf, startReading, type Reading, type StagePage } from '../connectors/partner/read-window.ts'
import type { CommittedWindow, WindowCounts } from '../connectors/sqlite/window-to-commit.ts'
import type { Shape } from '../connectors/shape.ts'
import { watchedShape } from '../connectors/partner/shape-watch.ts'
import { fromIso, split, toIso, wireRange } from '../connectors/window.ts'
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
export async function syncWindow(dependencies: Dependencies, input: WindowInput): Promise<WindowResult> {
  const { destination, readings, progress, now } = dependencies
  const stream = dependencies.stream(input.stream)
  const endpoint = dependencies.store(input.store).endpoint(stream)
  const interval = { startMs: fromIso(input.window.start), endMs: fromIso(input.window.end) }
  const wire = wireRange(interval, input.timeZone, stream.window)
  const key = readingKey(input)
  // Taken out while it is worked on: an attempt that was given up but still runs cannot share it with the next one.
  const reading: Reading = readings.get(key) ?? startReading(randomUUID())
  readings.delete(key)
  const stage: StagePage = async (page) => {
    await destination.stage({ reading: reading.id, ...page })
    progress.pages++
  }
  try {
    const verdict = await readList(dependencies, input.store, endpoint, reading, wire, stage, cancellationSignal())
    // Where no row was seen, no smaller window shows more.
    const halves = verdict.status === 'unproven' && verdict.reason === 'moving' && reading.staged.some((rows) => rows.length > 0) ? split(interval, input.timeZone, stream.window) : undefined
    if (halves !== undefined) {
      await destination.discard(reading.id)
      progress.planned += halves.length - 1
      return { status: 'split', windows: halves.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })), requests: reading.requests }
    }
    const listed = evidenceOf(reading, endpoint, wire)
    const { gone, moved } = verdict.status === 'proven' ? await findAbsent(dependencies, input.store, endpoint, interval, input.timeZone, reading, cancellationSignal()) : { gone: [], moved: [] }
    for (const { rows, listPath, body } of moved) await stage({ page: reading.staged.push(rows) - 1, listPath, rows: rows.length, body })
    const { losers, rows } = losersOf(reading.staged)
    const evidence = { ...(verdict.status === 'proven' ? { by: verdict.by } : { reason: verdict.reason }), ...listed, ...(gone.length > 0 ? { gone: gone.length } : {}) }
    const findings = [...reading.findings].map(([code, detail]) => ({ code, detail }))
    const committed = await destination.commit({ reading: reading.id, store: input.store, stream: stream.name, window: input.window, status: verdict.status, evidence, losers, gone, fetched: rows, findings, readAt: new Date(now()).toISOString(), seen: seenBy(reading) })
    progress.done++
    progress.fetched += rows
    return { status: verdict.status, counts: committed.counts, requests: reading.requests, findings: committed.findingIds }
  } catch (error) {
    if (cancellationSignal().aborted || readings.has(key)) await destination.discard(reading.id)
    else readings.set(key, reading)
    throw error
  }
}

export interface UnprovenInput extends WindowInput {
  /** Error code and text of the last attempt. */
  code: string
  message: string
}

/** Records that a window could not be read, with its reason, after the last attempt. What was read of it is kept: the rows are real. */
export async function recordUnproven(dependencies: Dependencies, input: UnprovenInput): Promise<WindowResult> {
  const { destination, readings, now } = dependencies
  const key = readingKey(input)
  const given = readings.get(key) ?? startReading(randomUUID())
  readings.delete(key)
  const { losers, rows } = losersOf(given.staged)
  const committed: CommittedWindow = await destination.commit({
    reading: given.id,
    store: input.store,
    stream: input.stream,
    window: input.window,
    status: 'unproven',
    evidence: { reason: input.code, detail: input.message },
    losers,
    fetched: rows,
    findings: [{ code: input.code, detail: input.message }],
    readAt: new Date(now()).toISOString(),
    seen: seenBy(given),
  })
  dependencies.progress.done++
  return { status: 'unproven', counts: committed.counts, requests: given.requests, findings: committed.findingIds }
}

const seenBy = ({ watch }: Reading): { shape: Shape; run: string } => ({ shape: watchedShape(watch), run: activityInfo().workflowExecution?.runId ?? '' })

const readingKey = ({ store, stream, window }: WindowInput): string => `${store}/${stream}/${window.start}/${window.end}`
