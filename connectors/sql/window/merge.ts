import type { Interval } from '../../../calendar/interval.ts'
import { DatabaseError } from '../../../errors.ts'
import type { MergeCounts } from '../../destination/windows.ts'
import type { PageRows } from '../../staged/stage-records.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import type { Batch } from './ledger-table.ts'
import { mergeStatements } from './merge-statements.ts'
import type { MergeDialect, MergeStatements } from './merge-statements.ts'

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
