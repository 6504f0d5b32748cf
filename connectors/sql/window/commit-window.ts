import { fromIso } from '../../../calendar/days.ts'
import type { Interval } from '../../../calendar/days.ts'
import { DatabaseError } from '../../../errors.ts'
import type {
  CommittedWindow,
  MergeCounts,
  WindowCounts,
  WindowToCommit,
} from '../../destination/windows.ts'
import { emptyShape, findDrift, mergeShapes } from '../../shape.ts'
import type { Drift, Shape } from '../../shape.ts'
import type { PageRows } from '../../staged/stage-records.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { noteFindings } from '../findings.ts'
import { first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { closeReading, noCounts, openReading, refuseTakenOver } from './ledger-table.ts'
import type { Batch, LedgerTable } from './ledger-table.ts'
import { saveUnfit } from './letters-table.ts'
import { mergeStatements } from './merge-statements.ts'
import type { MergeDialect, MergeStatements } from './merge-statements.ts'

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

/** What a batch brought into a time that was proven before. */
export interface LateRecords {
  records: number
  /** `modified` of the oldest, epoch milliseconds; null: there is none. */
  oldestMs: number | null
}

/**
 * Merges pages of one stream into its tables; inside a transaction, while their rows are staged.
 */
export interface Merger {
  /** Fails where not every record of the page was counted (INV-3). */
  mergePage(page: PageRows, batch: Batch): Steps<MergeCounts>
  /** Call when all pages are merged. */
  keepSuperseded(batch: Batch): Steps<unknown>
  /** Records that came again and fit this time are dead letters no more. */
  resolve(store: string): Steps<unknown>
  /** Makes tombstones of these rows; they stay in the table. */
  markGone(ids: readonly string[], batch: Batch, goneAtMs: number): Steps<unknown>
  /** Rows that are gone and whose records came again, unfit: what they were last stands. */
  markThere(batch: Batch): Steps<unknown>
  /** What this batch brought into an interval of `modified`. */
  arrived(batch: Batch, interval: Interval): Steps<LateRecords>
}

export function createMerger(stream: Stream, dialect: MergeDialect): Merger {
  const sql = mergeStatements(stream, dialect)
  return {
    *mergePage(page, batch) {
      const merged = yield* mergeRecords(stream, sql, page, batch)
      const counts = { ...merged, deadLettered: page.unfit }
      assertAllCounted(stream, page, counts)
      return counts
    },
    keepSuperseded: batch => run(sql.keepSuperseded, batch),
    resolve: store => resolveLetters(sql, { store, stream: stream.name }),
    markGone: (ids, { store, batch }, goneAtMs) =>
      run(sql.markGone, { ids: JSON.stringify(ids), store, batch, goneAtMs }),
    markThere: ({ store, batch, since = ALL }) => run(sql.markThere, { store, batch, since }),
    *arrived({ store, batch }, interval) {
      // A list that is read whole has no windows, so nothing can be late.
      if (stream.windowing === 'full-refresh') return { records: 0, oldestMs: null }
      return (yield* first<LateRecords>(sql.arrived, { store, batch, ...interval }))!
    },
  }
}

/** INV-3: what was read and what was stored are counted apart, and must agree before a commit. */
function assertAllCounted(stream: Stream, page: PageRows, counts: MergeCounts): void {
  const stored = counts.inserted + counts.updated + counts.unchanged + counts.deadLettered
  if (stored === page.rows - page.duplicate) return
  throw new DatabaseError(
    'COUNTS_DIFFER',
    `${stream.name}: a page of ${page.rows} rows (${page.duplicate} duplicates) was stored as ` +
      `${JSON.stringify(counts)}; nothing of the window was kept`,
  )
}

/** Hardly any stream has dead letters. */
function* resolveLetters(sql: MergeStatements, of: { store: string; stream: string }): Steps<void> {
  const any = yield* first(
    'SELECT 1 AS one FROM dead_letters WHERE store_id = @store AND stream = @stream LIMIT 1',
    of,
  )
  if (any !== undefined) yield* run(sql.resolve, of)
}

const ALL = Number.MAX_SAFE_INTEGER

/** Parameters of a statement for one page: what its rows' numbers become is `more`. */
interface PageParameters extends Batch {
  first: number
  last: number
  more: number
  since: number
}

function* mergeRecords(
  stream: Stream,
  sql: MergeStatements,
  page: PageRows,
  batch: Batch,
): Steps<Omit<MergeCounts, 'deadLettered'>> {
  const { first: from, last } = page
  const largest = yield* first<{ rid: number }>(
    `SELECT coalesce(max(rid), 0) AS rid FROM ${rowTable(stream.name)}`,
  )
  const more = largest!.rid - from + 1
  const parameters = { ...batch, since: batch.since ?? ALL, first: from, last, more }
  const inserted = yield* run(sql.insert, parameters)
  const updated = inserted === page.records ? 0 : yield* run(sql.update, parameters)
  yield* mergeLines(sql, page, { inserted, updated }, parameters)
  if (inserted + updated === page.records) return { inserted, updated, unchanged: 0 }
  const counted = yield* first<{ untouched: number; older: number }>(sql.countUntouched, parameters)
  if (counted!.older > 0) yield* run(sql.keepOlder, parameters)
  return { inserted, updated, unchanged: counted!.untouched }
}

function* mergeLines(
  sql: MergeStatements,
  page: PageRows,
  { inserted, updated }: { inserted: number; updated: number },
  parameters: PageParameters,
): Steps<void> {
  if (inserted + updated === 0) return
  for (const [at, { insertAll, remove, insertTouched }] of sql.lines.entries()) {
    const lines = { ...parameters, ...page.lines[at]! }
    if (updated > 0) yield* run(remove, parameters)
    yield* run(inserted === page.records ? insertAll : insertTouched, lines)
  }
}
