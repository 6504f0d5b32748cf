import { fromIso } from '../../../calendar/days.ts'
import type { CommittedWindow, WindowCounts, WindowToCommit } from '../../destination/windows.ts'
import { emptyShape, findDrift, mergeShapes } from '../../shape.ts'
import type { Drift, Shape } from '../../shape.ts'
import type { PageRows } from '../../staged/stage-records.ts'
import { noteFindings } from '../findings.ts'
import { first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import type { Batch, LedgerTable } from './ledger-table.ts'
import { closeReading, noCounts, openReading, refuseTakenOver } from './ledger-table.ts'
import { saveUnfit } from './letters-table.ts'
import type { LateRecords, Merger } from './merge.ts'

/**
 * Merges the pages of a window and writes everything that is remembered of it, inside a transaction
 * that makes them one (INV-2).
 */
export function* commitWindow(
  ledger: LedgerTable,
  merger: Merger,
  window: WindowToCommit,
  pages: readonly PageRows[],
): Steps<CommittedWindow> {
  const { store, stream, byId } = window
  yield* refuseTakenOver(window)
  const number = yield* openReading(byId === true ? { ...window, status: 'looked_up' } : window)
  const batch: Batch = { store, batch: number, since: window.since }
  const counts = yield* mergePages(merger, pages, batch, window.fetched)
  if (counts.deadLettered > 0) {
    yield* saveUnfit(window)
    yield* merger.markThere(batch)
  }
  yield* merger.resolve(store)
  if (counts.duplicate > 0) yield* merger.keepSuperseded(batch)
  if (window.gone !== undefined && window.gone.length > 0)
    yield* merger.markGone(window.gone, batch, Date.parse(window.readAt))
  if (byId !== true && counts.inserted + counts.updated > 0)
    for (const proven of yield* ledger.provenAround(window))
      yield* noteLateness(window, yield* merger.arrived(batch, proven))
  const drift = yield* learnShape(window)
  yield* closeReading(`${stream} ${window.window.start}`, batch.batch, counts)
  if (byId !== true) yield* ledger.record(window)
  return { counts, findingIds: yield* noteFindings(window, [...window.findings, ...drift]) }
}

/** Page by page: where all records of one are new, its statements are the simple ones. */
export function* mergePages(
  merger: Merger,
  pages: readonly PageRows[],
  batch: Batch,
  fetched: number,
): Steps<WindowCounts> {
  const counts = noCounts(fetched)
  for (const page of pages) {
    const merged = yield* merger.mergePage(page, batch)
    counts.duplicate += page.duplicate
    counts.inserted += merged.inserted
    counts.updated += merged.updated
    counts.unchanged += merged.unchanged
    counts.deadLettered += merged.deadLettered
  }
  return counts
}

/** Writes the table `lateness`: how late records arrived at most, by the day that saw them. */
function* noteLateness(
  { store, stream, readAt }: Pick<WindowToCommit, 'store' | 'stream' | 'readAt'>,
  { records, oldestMs }: LateRecords,
): Steps<void> {
  if (oldestMs === null) return
  const lateMs = fromIso(readAt) - oldestMs
  yield* run(
    `INSERT INTO lateness (store_id, stream, day, max_ms, records)
     VALUES (@store, @stream, @day, @lateMs, @records)
     ON CONFLICT (store_id, stream, day) DO UPDATE SET
       max_ms = CASE WHEN excluded.max_ms > lateness.max_ms
         THEN excluded.max_ms ELSE lateness.max_ms END,
       records = lateness.records + excluded.records`,
    { store, stream, day: readAt.slice(0, 10), lateMs, records },
  )
}

const IS_PAST = `
  SELECT EXISTS (
    SELECT 1 FROM windows
    WHERE store_id = @store AND stream = @stream
      AND status = 'proven' AND window_start >= @end
  ) AND NOT EXISTS (
    SELECT 1 FROM windows
    WHERE store_id = @store AND stream = @stream
      AND window_start < @end AND window_end > @start
  ) AS past`

/**
 * Learns the shape of a stream's records, and tells once what drifted from it. Inside the window's
 * own transaction, so that what is reported and what is known cannot come apart. The run that reads
 * a stream for the first time only learns: rare fields would all look new to it. So do windows of
 * the past that are read for the first time, such as those that an interrupted first run has left:
 * what is new there is merely older than what is known.
 */
function* learnShape({
  store,
  stream,
  window,
  seen,
}: Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'seen'>): Steps<Drift[]> {
  if (seen === undefined || seen.shape.count === 0) return []
  const place = { store, stream }
  const known = yield* first<{ shape: string; learned_by: string }>(
    'SELECT shape, learned_by FROM shapes WHERE store_id = @store AND stream = @stream',
    place,
  )
  const before = known === undefined ? emptyShape() : (JSON.parse(known.shape) as Shape)
  yield* run(
    `INSERT INTO shapes (store_id, stream, learned_by, shape)
     VALUES (@store, @stream, @run, @shape)
     ON CONFLICT (store_id, stream) DO UPDATE SET shape = excluded.shape`,
    { ...place, run: seen.run, shape: JSON.stringify(mergeShapes(before, seen.shape)) },
  )
  if (known === undefined || known.learned_by === seen.run) return []
  const isPast = yield* first<{ past: boolean | 0 | 1 }>(IS_PAST, { ...place, ...window })
  return isPast!.past ? [] : findDrift(before, seen.shape)
}
