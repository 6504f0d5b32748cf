import type Database from 'better-sqlite3'
import type { Interval } from '../../../calendar/interval.ts'
import { DatabaseError } from '../../../errors.ts'
import type { MergeCounts } from '../../destination/windows.ts'
import type { Stream } from '../../stream.ts'
import type { BulkPage } from '../pages/bulk-rows.ts'
import { addContentFunction } from '../rows/same-content.ts'
import type { LateRecords } from './lateness.ts'
import { mergeStatements } from './merge-statements.ts'
import type { MergeStatements } from './merge-statements.ts'
import type { Batch } from './readings.ts'

/**
 * Merges pages of one stream into its tables; call inside a transaction, while their rows are there
 * (`BulkRows.during`).
 */
export interface Merger {
  /** Fails where not every record of the page was counted (INV-3). */
  mergePage(page: BulkPage, batch: Batch): MergeCounts
  /** Call when all pages are merged. */
  keepSuperseded(batch: Batch): void
  /** Ids of all records of the window that went into the tables. */
  keys(): string[]
  /** Makes tombstones of these rows; they stay in the table. */
  markGone(ids: readonly string[], batch: Batch, goneAtMs: number): void
  /** Rows that are gone and whose records came again, unfit: what they were last stands. */
  markThere(batch: Batch): void
  /** What this batch brought into an interval of `modified`. */
  arrived(batch: Batch, interval: Interval): LateRecords
}

export function createMerger(database: Database.Database, stream: Stream): Merger {
  addContentFunction(database)
  const sql = mergeStatements(stream)
  const keys = database.prepare<[], string>(sql.keys).pluck()
  const keepSuperseded = database.prepare<[Batch]>(sql.keepSuperseded)
  const arrived = database.prepare<object, LateRecords>(sql.arrived)
  const markGone = database.prepare(sql.markGone)
  const markThere = database.prepare(sql.markThere)
  const merge = createPageMerger(database, stream, sql)
  return {
    mergePage(page, batch) {
      const counts = { ...merge(page, batch), deadLettered: page.unfit }
      assertAllCounted(stream, page, counts)
      return counts
    },
    keepSuperseded: batch => void keepSuperseded.run(batch),
    keys: () => keys.all(),
    markGone: (ids, { store, batch }, goneAtMs) =>
      void markGone.run({ ids: JSON.stringify(ids), store, batch, goneAtMs }),
    markThere: ({ store, batch, since = ALL }) => void markThere.run({ store, batch, since }),
    // A list that is read whole has no windows, so nothing can be late.
    arrived: ({ store, batch }, interval) =>
      stream.windowing === 'full-refresh'
        ? { records: 0, oldestMs: null }
        : arrived.get({ store, batch, ...interval })!,
  }
}

/** INV-3: what was read and what was stored are counted apart, and must agree before a commit. */
function assertAllCounted(stream: Stream, page: BulkPage, counts: MergeCounts): void {
  const stored = counts.inserted + counts.updated + counts.unchanged + counts.deadLettered
  if (stored === page.rows - page.duplicate) return
  throw new DatabaseError(
    'COUNTS_DIFFER',
    `${stream.name}: a page of ${page.rows} rows (${page.duplicate} duplicates) was stored as ` +
      `${JSON.stringify(counts)}; nothing of the window was kept`,
  )
}

const ALL = Number.MAX_SAFE_INTEGER

type MergePage = (page: BulkPage, batch: Batch) => Omit<MergeCounts, 'deadLettered'>

/** Parameters of a statement for one page: what its rows' numbers become is `more`. */
interface PageParameters extends Batch {
  first: number
  last: number
  more: number
  since: number
}

function createPageMerger(
  database: Database.Database,
  stream: Stream,
  sql: MergeStatements,
): MergePage {
  const largest = database
    .prepare<[], number>(`SELECT coalesce(max(rid), 0) FROM rows_${stream.name}`)
    .pluck()
  const insert = database.prepare<[PageParameters]>(sql.insert)
  const update = database.prepare<[PageParameters]>(sql.update)
  const count = database.prepare<[PageParameters], { untouched: number; older: number }>(
    sql.countUntouched,
  )
  const keepOlder = database.prepare<[PageParameters]>(sql.keepOlder)
  const mergeLines = createLinesMerger(database, sql)
  return (page, batch) => {
    const { first, last } = page
    const more = largest.get()! - first + 1
    const parameters = { ...batch, since: batch.since ?? ALL, first, last, more }
    const inserted = insert.run(parameters).changes
    const updated = inserted === page.records ? 0 : update.run(parameters).changes
    mergeLines(page, { inserted, updated }, parameters)
    const { untouched, older } = inserted + updated === page.records ? NONE : count.get(parameters)!
    if (older > 0) keepOlder.run(parameters)
    return { inserted, updated, unchanged: untouched }
  }
}

const NONE = { untouched: 0, older: 0 }

type MergeLines = (
  page: BulkPage,
  changes: { inserted: number; updated: number },
  parameters: PageParameters,
) => void

function createLinesMerger(database: Database.Database, sql: MergeStatements): MergeLines {
  const lists = sql.lines.map(({ insertAll, remove, insertTouched }) => ({
    insertAll: database.prepare<[PageParameters]>(insertAll),
    remove: database.prepare<[PageParameters]>(remove),
    insertTouched: database.prepare<[PageParameters]>(insertTouched),
  }))
  return (page, { inserted, updated }, parameters) => {
    if (inserted + updated === 0) return
    for (const [at, { insertAll, remove, insertTouched }] of lists.entries()) {
      const lines = { ...parameters, ...page.lines[at]! }
      if (updated > 0) remove.run(parameters)
      if (inserted === page.records) insertAll.run(lines)
      else insertTouched.run(lines)
    }
  }
}
