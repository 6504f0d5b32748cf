import type Database from 'better-sqlite3'
import type { Interval } from '../../../calendar/interval.ts'
import { DatabaseError } from '../../../errors.ts'
import type { MergeCounts } from '../../destination/windows.ts'
import { recordKey } from '../../record.ts'
import type { Examined } from '../../record.ts'
import { keySql } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { isBadRecord } from '../connection/sqlite-errors.ts'
import { addContentFunction } from '../rows/same-content.ts'
import type { RefusedRecord } from '../tables/dead-letters.ts'
import { addKeyFunction } from './duplicate-keys.ts'
import { createRecordInserter } from './insert-records.ts'
import type { RecordInserter } from './insert-records.ts'
import type { LateRecords } from './lateness.ts'
import { mergeStatements, plainMergeStatements } from './merge-statements.ts'
import type { MergeStatements } from './merge-statements.ts'
import { createPageParts, reasonOf } from './page-parts.ts'
import type { PageToMerge } from './page-parts.ts'
import type { Batch } from './readings.ts'
import { createTableChecks } from './table-checks.ts'
import type { TableChecks } from './table-checks.ts'

/** Merges pages of one stream into its tables; call inside a transaction. */
export interface Merger {
  /** The keys of a page's records. */
  keysOf(page: Pick<PageToMerge, 'jsonb' | 'listPath'>): string[]
  /**
   * What the tables refuse goes to `refuse`; everything else of the page is merged. May leave the
   * tables' checks off.
   */
  mergePage: MergePage
  /**
   * Stores copies that were superseded within their reading, and differ, as versions.
   * Call when all pages are merged.
   */
  keepSuperseded(page: PageToMerge, batch: Batch): void
  /** Makes tombstones of these rows; they stay in the table. */
  markGone(ids: readonly string[], batch: Batch, goneAtMs: number): void
  /** Rows that are gone and whose records came again, unfit: what they were last stands. */
  markThere(ids: readonly string[], batch: Batch): void
  /** What this batch brought into an interval of `modified`. */
  arrived(batch: Batch, interval: Interval): LateRecords
}

export function createMerger(
  database: Database.Database,
  stream: Stream,
  checks: TableChecks = createTableChecks(database),
): Merger {
  addKeyFunction(database)
  addContentFunction(database)
  const sql = mergeStatements(stream)
  const keys = database
    .prepare<[Buffer, string], string>(
      `SELECT CAST(${keySql(stream, 'value')} AS TEXT) FROM jsonb_each(?, ?)`,
    )
    .pluck()
  const keep = database.prepare(sql.keep)
  const arrived = database.prepare<object, LateRecords>(sql.arrived)
  const markGone = database.prepare(sql.markGone)
  const markThere = database.prepare(sql.markThere)
  const merge = createPageMerger(database, stream, checks)
  return {
    keysOf: ({ jsonb, listPath }) => keys.all(jsonb(), listPath),
    mergePage: counted(stream, merge),
    keepSuperseded({ jsonb, listPath, skip }, { store, batch }) {
      const only = JSON.stringify(skip)
      if (skip.length > 0) keep.run({ body: jsonb(), listPath, store, batch, only })
    },
    markGone: (ids, { store, batch }, goneAtMs) =>
      void markGone.run({ ids: JSON.stringify(ids), store, batch, goneAtMs }),
    markThere: (ids, { store, batch, since = ALL }) =>
      void markThere.run({ ids: JSON.stringify(ids), store, batch, since }),
    // A list that is read whole has no windows, so nothing can be late.
    arrived: ({ store, batch }, interval) =>
      stream.windowing === 'full-refresh'
        ? { records: 0, oldestMs: null }
        : arrived.get({ store, batch, ...interval })!,
  }
}

/** Checks that all rows of the page were merged. */
const counted =
  (stream: Stream, merge: MergePage): MergePage =>
  (page, batch, refuse) => {
    const counts = merge(page, batch, refuse)
    assertAllCounted(stream, page, counts)
    return counts
  }

/** INV-3: what was read and what was stored are counted apart, and must agree before a commit. */
function assertAllCounted(stream: Stream, page: PageToMerge, counts: MergeCounts): void {
  const stored = counts.inserted + counts.updated + counts.unchanged + counts.deadLettered
  if (stored === page.rows - page.skip.length) return
  throw new DatabaseError(
    'COUNTS_DIFFER',
    `${stream.name}: a page of ${page.rows} rows (${page.skip.length} duplicates) was stored as ` +
      `${JSON.stringify(counts)}; nothing of the window was kept`,
  )
}

const ALL = Number.MAX_SAFE_INTEGER

type MergeAll = (page: PageToMerge, batch: Batch) => MergeCounts

/** Merges a page none of whose records is bad; fails where one is. */
function createWholeMerger(database: Database.Database, sql: MergeStatements): MergeAll {
  const upsert = database.prepare(sql.upsert)
  const children = sql.children.map(({ remove, insert }) => ({
    remove: database.prepare(remove),
    insert: database.prepare(insert),
  }))
  const countUntouched = database.prepare<object, { untouched: number; older: number }>(
    sql.countUntouched,
  )
  const older = database.prepare(sql.older).pluck()
  const keep = database.prepare(sql.keep)
  const maxKey = database.prepare<[], number>(sql.maxKey).pluck()

  return ({ jsonb, listPath, skip, rows }, { store, batch, since = ALL }) => {
    const parameters = { body: jsonb(), listPath, skip: JSON.stringify(skip), store, batch, since }
    const before = maxKey.get()!
    const { changes } = upsert.run(parameters)
    const inserted = maxKey.get()! - before
    if (changes > 0) {
      for (const child of children) {
        if (changes > inserted) child.remove.run(parameters)
        child.insert.run(parameters)
      }
    }
    const counted =
      changes === rows - skip.length ? { untouched: 0, older: 0 } : countUntouched.get(parameters)!
    if (counted.older > 0) keep.run({ ...parameters, only: JSON.stringify(older.all(parameters)) })
    return { inserted, updated: changes - inserted, unchanged: counted.untouched, deadLettered: 0 }
  }
}

type ExaminedPage = PageToMerge & { examined: Examined }

/** Merges records that fit. New and known ones go by their rows where these are staged. */
function createPlainMerger(
  database: Database.Database,
  stream: Stream,
): (page: ExaminedPage, batch: Batch) => MergeCounts {
  const mergeRest = createWholeMerger(database, plainMergeStatements(stream))
  // Its tables are there with the first page that has such rows.
  let insertNew: RecordInserter | undefined
  const insertStaged: RecordInserter = (rows, batch) => {
    insertNew ??= createRecordInserter(database, stream)
    return insertNew(rows, batch)
  }
  return (page, batch) => {
    const { staged } = page
    if (staged === undefined) return mergeRest(page, batch)
    const { left, ...counts } = insertStaged(staged, batch)
    const done = { ...counts, updated: 0, deadLettered: 0 }
    if (left.length === 0) return done
    const others = positionsBut(page.rows, left)
    return sum(done, mergeRest({ ...page, skip: others }, batch))
  }
}

const positionsBut = (rows: number, left: readonly number[]): number[] => {
  const rest = new Set(left)
  return Array.from({ length: rows }, (_, position) => position).filter(at => !rest.has(at))
}

type Refuse = (record: RefusedRecord) => void
type MergePage = (page: PageToMerge, batch: Batch, refuse: Refuse) => MergeCounts

/**
 * Records that the reader has found to fit go in without a second look, the others one by one where
 * need be. Should the tables refuse one of the former all the same, they all get the second look.
 */
function createPageMerger(
  database: Database.Database,
  stream: Stream,
  checks: TableChecks,
): MergePage {
  const mergePlain = createPlainMerger(database, stream)
  const parts = createPageParts(database, stream)
  const mergeClosely = createPartMerger(database, stream)
  /** Undefined, and nothing is changed, where the tables refuse a record. */
  const tryPlain = (page: ExaminedPage, batch: Batch): MergeCounts | undefined => {
    try {
      return database.transaction(() => mergePlain(page, batch))()
    } catch (error) {
      if (isBadRecord(error)) return undefined
      throw error
    }
  }
  const mergeWithChecks: MergePage = (page, batch, refuse) => {
    checks.on()
    return mergeClosely(page, batch, refuse)
  }
  return (page, batch, refuse) => {
    const { examined, skip } = page
    if (examined === undefined) return mergeWithChecks(page, batch, refuse)
    const { doubtful } = examined
    const others = [...new Set([...skip, ...doubtful])]
    checks.off()
    const plain = tryPlain({ ...page, examined, skip: others }, batch)
    if (plain === undefined) return mergeWithChecks(page, batch, refuse)
    const left = doubtful.filter(position => !skip.includes(position))
    if (left.length === 0) return plain
    return sum(plain, mergeWithChecks(parts.part(page, left), batch, refuse))
  }
}

/**
 * Halves a page that holds a bad record, down to that record: a list that comes whole is one page
 * of thousands.
 */
function createPartMerger(database: Database.Database, stream: Stream): MergePage {
  const mergeAll = createWholeMerger(database, mergeStatements(stream))
  const parts = createPageParts(database, stream)
  const merge: MergePage = (page, batch, refuse) => {
    try {
      return database.transaction(() => mergeAll(page, batch))()
    } catch (error) {
      if (!isBadRecord(error)) throw error
      const positions = parts.positions(page)
      if (positions.length < 2) {
        const record = parts.record(page, positions[0]!)
        const { raw, id } = record
        refuse({ key: recordKey(id, raw), reason: reasonOf(stream, record, error), raw })
        return { inserted: 0, updated: 0, unchanged: 0, deadLettered: 1 }
      }
      const middle = Math.ceil(positions.length / 2)
      const first = merge(parts.part(page, positions.slice(0, middle)), batch, refuse)
      const second = merge(parts.part(page, positions.slice(middle)), batch, refuse)
      return sum(first, second)
    }
  }
  return merge
}

const sum = (a: MergeCounts, b: MergeCounts): MergeCounts => ({
  inserted: a.inserted + b.inserted,
  updated: a.updated + b.updated,
  unchanged: a.unchanged + b.unchanged,
  deadLettered: a.deadLettered + b.deadLettered,
})
