import Database from 'better-sqlite3'
import type { Interval } from '../../calendar/interval.ts'
import { DatabaseError } from '../../errors.ts'
import { explainRecord, keySql, recordKey } from '../stream.ts'
import type { Stream } from '../stream.ts'
import { mergeStatements } from './merge-statements.ts'

/**
 * A page as it was staged, with the positions of its list that lose against another copy of the
 * same record.
 */
export interface StagedPage {
  body: Buffer
  listPath: string
  skip: readonly number[]
  /** Rows in the list, by the reader's count. */
  rows: number
}

export interface MergeCounts {
  inserted: number
  updated: number
  unchanged: number
  deadLettered: number
}

/** A record that the tables refused. Its key is its id, or a hash where it has none. */
export interface DeadLetter {
  key: string
  reason: string
  raw: string
}

export interface Arrived {
  records: number
  oldestMs: number | null
}

export interface Merger {
  /** The keys of a page's records. */
  keysOf(page: Pick<StagedPage, 'body' | 'listPath'>): string[]
  /** Call inside a transaction. Bad records go to `bury`; everything else of the page is merged. */
  mergePage(
    page: StagedPage,
    store: string,
    batch: number,
    bury: (letter: DeadLetter) => void,
  ): MergeCounts
  /**
   * Copies that lost within their reading and differ were seen all the same: keeps them. Call when
   * all pages are merged.
   */
  keepSuperseded(page: StagedPage, store: string, batch: number): void
  /** Makes tombstones of these rows; they stay in the table. */
  markGone(ids: readonly string[], store: string, batch: number, goneAtMs: number): number
  /** What this batch brought into an interval of `modified`. */
  arrived(store: string, batch: number, interval: Interval): Arrived
}

/** Merges pages of one stream into its tables on one connection. */
export function createMerger(database: Database.Database, stream: Stream): Merger {
  const sql = mergeStatements(stream)
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
  const arrived = database.prepare<object, Arrived>(sql.arrived)
  const markGone = database.prepare(sql.markGone)
  const maxKey = database.prepare(sql.maxKey).pluck()
  const keys = database
    .prepare<[Buffer, string], string>(
      `SELECT CAST(${keySql(stream, 'value')} AS TEXT) FROM jsonb_each(?, ?)`,
    )
    .pluck()
  const record = database.prepare<
    [Buffer, string, number],
    { raw: string; id: string | null; hash: string }
  >(
    `SELECT json(value) AS raw, CAST(${keySql(stream, 'value')} AS TEXT) AS id FROM jsonb_each(?, ?) WHERE key = ?`,
  )

  const positionsOf = database
    .prepare<[Buffer, string, string], number>(
      'SELECT key FROM jsonb_each(?, ?) WHERE key NOT IN (SELECT value FROM json_each(?))',
    )
    .pluck()
  const recordsAt = database
    .prepare<[Buffer, string, string], Buffer>(
      'SELECT jsonb_group_array(jsonb(value) ORDER BY key) FROM jsonb_each(?, ?) WHERE key IN (SELECT value FROM json_each(?))',
    )
    .pluck()

  const mergeWhole = (page: StagedPage, store: string, batch: number): MergeCounts => {
    const parameters = {
      body: page.body,
      listPath: page.listPath,
      skip: JSON.stringify(page.skip),
      store,
      batch,
    }
    const wanted = page.rows - page.skip.length
    const before = maxKey.get() as number
    const { changes } = upsert.run(parameters)
    const inserted = (maxKey.get() as number) - before
    if (changes > 0) {
      for (const child of children) {
        if (changes > inserted) child.remove.run(parameters)
        child.insert.run(parameters)
      }
    }
    const counted =
      changes === wanted ? { untouched: 0, older: 0 } : countUntouched.get(parameters)!
    if (counted.older > 0) keep.run({ ...parameters, only: JSON.stringify(older.all(parameters)) })
    return { inserted, updated: changes - inserted, unchanged: counted.untouched, deadLettered: 0 }
  }

  /**
   * Halves of a page that holds a bad record, down to that record: a list that comes whole is one
   * page of thousands.
   */
  const mergePart = (
    page: StagedPage,
    store: string,
    batch: number,
    bury: (letter: DeadLetter) => void,
  ): MergeCounts => {
    try {
      return database.transaction(() => mergeWhole(page, store, batch))()
    } catch (error) {
      if (!isBadRecord(error)) throw error
      const positions = positionsOf.all(page.body, page.listPath, JSON.stringify(page.skip))
      if (positions.length < 2) {
        const { raw, id } = record.get(page.body, page.listPath, positions[0]!)!
        bury({
          key: recordKey(id, raw),
          reason:
            explainRecord(stream, JSON.parse(raw)).join('; ') ||
            `the table refused it (${(error as Error).message})`,
          raw,
        })
        return { inserted: 0, updated: 0, unchanged: 0, deadLettered: 1 }
      }
      const middle = Math.ceil(positions.length / 2)
      const counts = [positions.slice(0, middle), positions.slice(middle)].map(half =>
        mergePart(
          {
            body: recordsAt.get(page.body, page.listPath, JSON.stringify(half))!,
            listPath: '$',
            skip: [],
            rows: half.length,
          },
          store,
          batch,
          bury,
        ),
      )
      return counts.reduce((a, b) => ({
        inserted: a.inserted + b.inserted,
        updated: a.updated + b.updated,
        unchanged: a.unchanged + b.unchanged,
        deadLettered: a.deadLettered + b.deadLettered,
      }))
    }
  }

  return {
    keysOf: ({ body, listPath }) => keys.all(body, listPath),
    keepSuperseded({ body, listPath, skip }, store, batch) {
      if (skip.length > 0) keep.run({ body, listPath, store, batch, only: JSON.stringify(skip) })
    },
    markGone: (ids, store, batch, goneAtMs) =>
      markGone.run({ ids: JSON.stringify(ids), store, batch, goneAtMs }).changes,
    // A whole list has no windows that something could miss.
    arrived: (store, batch, interval) =>
      stream.windowing === 'full-refresh'
        ? { records: 0, oldestMs: null }
        : arrived.get({ store, batch, ...interval })!,
    mergePage(page, store, batch, bury) {
      const counts = mergePart(page, store, batch, bury)
      const stored = counts.inserted + counts.updated + counts.unchanged + counts.deadLettered
      if (stored !== page.rows - page.skip.length) {
        // INV-3: what was read and what was stored are counted apart, and must agree before
        // anything commits.
        throw new DatabaseError(
          'COUNTS_DIFFER',
          `${stream.name}: a page of ${page.rows} rows (${page.skip.length} duplicates) was stored as ${JSON.stringify(counts)}; nothing of the window was kept`,
        )
      }
      return counts
    },
  }
}

/**
 * Datatype, NOT NULL and CHECK violations are about a record; a full disk is not. A text where a
 * line should be an object fails as JSON, for which SQLite has no code of its own.
 */
const isBadRecord = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  (error.code.startsWith('SQLITE_CONSTRAINT') ||
    error.code === 'SQLITE_MISMATCH' ||
    (error.code === 'SQLITE_ERROR' && error.message === 'malformed JSON'))
