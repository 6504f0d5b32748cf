import type Database from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { DAY_MS, fromIso, toIso } from '../../../calendar/days.ts'
import type { Interval } from '../../../calendar/interval.ts'
import { plausibleRows, recordWindow } from '../../destination/coverage.ts'
import type { LedgerRow } from '../../destination/coverage.ts'
import type { Ledger } from '../../destination/ledger.ts'
import type { WindowToCommit } from '../../destination/windows.ts'
import type { Schema } from '../../sql/schema.ts'

/** Writes the table `windows`, the ledger, inside the transaction of the rows (INV-2). */
export interface LedgerTable {
  /**
   * Records what a reading says of its window; `recordWindow` decides which rows of the ledger
   * remain.
   */
  record(window: WindowToCommit): void
  /** What was proven earlier, in the window and close to it: what comes into that now came late. */
  provenAround(window: Pick<WindowToCommit, 'store' | 'stream' | 'window'>): Interval[]
}

/** Readings by calendar days hold rows of their neighbours, up to two days away. */
const AROUND_MS = 2 * DAY_MS

type StoredWindow = Pick<Schema['windows'], 'window_start' | 'window_end' | 'status' | 'evidence'>

const asLedgerRow = (row: StoredWindow): LedgerRow => ({
  startMs: fromIso(row.window_start),
  endMs: fromIso(row.window_end),
  status: row.status,
  evidence: row.evidence,
})

export function createLedgerTable(
  database: Database.Database,
  now: () => number = Date.now,
): LedgerTable {
  const forgetImplausible = createImplausibleRemover(database, now)
  const select = database.prepare<[string, string, string, string], StoredWindow>(
    `SELECT window_start, window_end, status, evidence FROM windows
     WHERE store_id = ? AND stream = ? AND window_start < ? AND window_end > ?`,
  )
  const remove = database.prepare(
    `DELETE FROM windows
     WHERE store_id = ? AND stream = ? AND window_start < ? AND window_end > ?`,
  )
  const insert = database.prepare(
    `INSERT INTO windows (store_id, stream, window_start, window_end, status, evidence)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  return {
    record({ store, stream, window: { start, end }, status, evidence, readAt }) {
      forgetImplausible(store, stream)
      const read: LedgerRow = {
        startMs: fromIso(start),
        endMs: fromIso(end),
        status,
        evidence: JSON.stringify({ ...evidence, readAt }),
      }
      const before = select.all(store, stream, end, start).map(asLedgerRow)
      const standing = recordWindow(before, read)
      remove.run(store, stream, end, start)
      for (const row of standing)
        insert.run(store, stream, toIso(row.startMs), toIso(row.endMs), row.status, row.evidence)
    },
    provenAround({ store, stream, window }) {
      const startMs = fromIso(window.start) - AROUND_MS
      const endMs = fromIso(window.end) + AROUND_MS
      return select
        .all(store, stream, toIso(endMs), toIso(startMs))
        .map(asLedgerRow)
        .filter(row => row.status === 'proven')
        .map(row => ({
          startMs: Math.max(row.startMs, startMs),
          endMs: Math.min(row.endMs, endMs),
        }))
    },
  }
}

/**
 * Takes away for good what was written while the clock was ahead: rows of hours that nobody has
 * read would be believed once those hours have come (INV-1). Looked for at the first record of a
 * stream and whenever the clock has gone back, since no others can bring such rows.
 */
function createImplausibleRemover(
  database: Database.Database,
  now: () => number,
): (store: string, stream: string) => void {
  const all = database.prepare<[string, string], StoredWindow>(
    `SELECT window_start, window_end, status, evidence FROM windows
     WHERE store_id = ? AND stream = ?`,
  )
  const remove = database.prepare(
    `DELETE FROM windows
     WHERE store_id = ? AND stream = ? AND window_start = ? AND window_end = ?`,
  )
  const seenMs = new Map<string, number>()
  return (store, stream) => {
    const nowMs = now()
    const key = JSON.stringify([store, stream])
    if (nowMs >= (seenMs.get(key) ?? Infinity)) return void seenMs.set(key, nowMs)
    const rows = all.all(store, stream).map(asLedgerRow)
    const plausible = new Set(plausibleRows(rows, nowMs))
    const others = rows.filter(row => !plausible.has(row))
    for (const row of others) remove.run(store, stream, toIso(row.startMs), toIso(row.endMs))
    // What was removed may come back with the transaction, so the next record looks again.
    if (others.length === 0) seenMs.set(key, nowMs)
  }
}

/** Older ones were read again since, or stand in the ledger. */
const FAILED_READINGS = 2_000

/** The ledger, read. */
export const createLedger = (db: Kysely<Schema>, now: () => number = Date.now): Ledger => ({
  async windows(store, stream) {
    const rows = await db
      .selectFrom('windows')
      .selectAll()
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute()
    return plausibleRows(rows.map(asLedgerRow), now())
  },
  provenSpan: (store, stream) =>
    db
      .selectFrom('windows')
      .select(({ fn }) => [fn.min('window_start').as('from'), fn.max('window_end').as('to')])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .where('status', '=', 'proven')
      .executeTakeFirstOrThrow(),
  lateness: (store, stream) =>
    db
      .selectFrom('lateness')
      .select(['day', 'max_ms as maxMs'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute(),
  async firstReadAt(store) {
    const first = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .orderBy('batch')
      .limit(1)
      .executeTakeFirst()
    return first?.read_at
  },
  async failedReadings(store) {
    const rows = await db
      .selectFrom('readings')
      .select(['stream', 'window_start', 'window_end', 'read_at'])
      .where('store_id', '=', store)
      .where('status', '=', 'unproven')
      .orderBy('batch', 'desc')
      .limit(FAILED_READINGS)
      .execute()
    return rows.map(row => ({
      stream: row.stream,
      startMs: fromIso(row.window_start),
      endMs: fromIso(row.window_end),
      readAt: row.read_at,
    }))
  },
  async lastReadAt(store, stream) {
    const last = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .orderBy('batch', 'desc')
      .limit(1)
      .executeTakeFirst()
    return last?.read_at
  },
})
