import type Database from 'better-sqlite3'
import { DAY_MS, fromIso, toIso } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/interval.ts'
import { DatabaseError } from '../../errors.ts'
import { recordWindow } from '../destination/coverage.ts'
import type { LedgerRow } from '../destination/coverage.ts'
import type { WindowCounts, WindowToCommit } from '../destination/windows.ts'
import type { Arrived, DeadLetter } from './merge.ts'
import type { Schema } from './schema.ts'

/** Writes what is remembered of a window beside its rows, inside the same transaction (INV-2). */
export interface LedgerWriter {
  /** The batch number of this reading; rows that it touches carry it. */
  openReading(
    window: Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'readAt'> & {
      status: Schema['readings']['status']
    },
  ): number
  /** Keeps a record aside, unless a person has given this very state of it up. */
  bury(
    window: Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'readAt'>,
    letter: DeadLetter,
  ): void
  hasDeadLetters(window: WindowToCommit): boolean
  /** Dead letters whose record came again, and was taken this time, are not dead any more. */
  settleDeadLetters(
    window: WindowToCommit,
    keys: readonly string[],
    buried: readonly string[],
  ): void
  /** What was proven earlier, in the window and close to it: what comes into that now came late. */
  provenBefore(window: WindowToCommit): Interval[]
  /** Remembers how late the latest of these was, by the day on which it was seen. */
  noteLateness(window: WindowToCommit, arrived: Arrived): void
  /**
   * Checks that the counts add up (INV-3), and files them with the reading. `what` names it in an
   * error.
   */
  closeCounts(what: string, batch: number, counts: WindowCounts): void
  /** The same, then ledger, findings and reading; answers the ids of the findings. */
  closeReading(window: WindowToCommit, batch: number, counts: WindowCounts): string[]
}

/** Readings by calendar days hold rows of their neighbours, up to two days away. */
const AROUND_MS = 2 * DAY_MS

/** One finding, by its id: the first time, and each time again. */
export const NOTE_FINDING = `INSERT INTO findings (id, store_id, stream, code, detail, times, first_seen_at, last_seen_at) VALUES (@id, @store, @stream, @code, @detail, 1, @readAt, @readAt)
  ON CONFLICT (id) DO UPDATE SET times = times + 1, detail = excluded.detail, last_seen_at = excluded.last_seen_at`

export function createLedgerWriter(database: Database.Database): LedgerWriter {
  const open = database.prepare(
    `INSERT INTO readings (store_id, stream, window_start, window_end, status, counts, read_at) VALUES (?, ?, ?, ?, ?, '{}', ?)`,
  )
  const close = database.prepare('UPDATE readings SET counts = ? WHERE batch = ?')
  const bury = database.prepare(
    `INSERT INTO dead_letters (store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at) SELECT @store, @stream, @key, @reason, @raw, @start, @end, @readAt
     WHERE NOT EXISTS (SELECT 1 FROM discarded_letters d WHERE d.store_id = @store AND d.stream = @stream AND d.record_key = @key AND d.raw = @raw)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, raw = excluded.raw`,
  )
  const anyDead = database
    .prepare('SELECT 1 FROM dead_letters WHERE store_id = ? AND stream = ? LIMIT 1')
    .pluck()
  const settle = database.prepare(
    `DELETE FROM dead_letters WHERE store_id = @store AND stream = @stream AND record_key IN (SELECT value FROM json_each(@keys)) AND record_key NOT IN (SELECT value FROM json_each(@buried))`,
  )
  const overlapping = database.prepare(
    'SELECT window_start AS start, window_end AS "end", status, evidence FROM windows WHERE store_id = ? AND stream = ? AND window_start < ? AND window_end > ?',
  )
  const forget = database.prepare(
    'DELETE FROM windows WHERE store_id = ? AND stream = ? AND window_start < ? AND window_end > ?',
  )
  const remember = database.prepare(
    'INSERT INTO windows (store_id, stream, window_start, window_end, status, evidence) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const find = database.prepare(NOTE_FINDING)

  const note = database.prepare(
    `INSERT INTO lateness (store_id, stream, day, max_ms, records) VALUES (@store, @stream, @day, @lateMs, @records)
     ON CONFLICT DO UPDATE SET max_ms = max(max_ms, excluded.max_ms), records = records + excluded.records`,
  )

  const rowsBefore = (store: string, stream: string, start: string, end: string): LedgerRow[] =>
    (
      overlapping.all(store, stream, end, start) as {
        start: string
        end: string
        status: LedgerRow['status']
        evidence: string
      }[]
    ).map((row): LedgerRow => ({
      startMs: fromIso(row.start),
      endMs: fromIso(row.end),
      status: row.status,
      evidence: row.evidence,
    }))

  const recordInLedger = (window: WindowToCommit): void => {
    const {
      store,
      stream,
      window: { start, end },
    } = window
    const rows = rowsBefore(store, stream, start, end)
    const read: LedgerRow = {
      startMs: fromIso(start),
      endMs: fromIso(end),
      status: window.status,
      evidence: JSON.stringify({ ...window.evidence, readAt: window.readAt }),
    }
    forget.run(store, stream, end, start)
    for (const row of recordWindow(rows, read))
      remember.run(store, stream, toIso(row.startMs), toIso(row.endMs), row.status, row.evidence)
  }

  const closeCounts = (what: string, batch: number, counts: WindowCounts): void => {
    const stored =
      counts.inserted + counts.updated + counts.unchanged + counts.duplicate + counts.deadLettered
    if (stored !== counts.fetched) {
      throw new DatabaseError(
        'COUNTS_DIFFER',
        `${what}: fetched ${counts.fetched} rows, but they add up to ${stored} (${JSON.stringify(counts)}); nothing of the window was kept`,
      )
    }
    close.run(JSON.stringify(counts), batch)
  }

  return {
    openReading: ({ store, stream, window, status, readAt }) =>
      Number(open.run(store, stream, window.start, window.end, status, readAt).lastInsertRowid),
    bury: ({ store, stream, window, readAt }, letter) =>
      void bury.run({ ...letter, store, stream, start: window.start, end: window.end, readAt }),
    hasDeadLetters: ({ store, stream }) => anyDead.get(store, stream) !== undefined,
    settleDeadLetters: ({ store, stream }, keys, buried) =>
      void settle.run({
        keys: JSON.stringify(keys),
        store,
        stream,
        buried: JSON.stringify(buried),
      }),
    provenBefore({ store, stream, window }) {
      const around = {
        startMs: fromIso(window.start) - AROUND_MS,
        endMs: fromIso(window.end) + AROUND_MS,
      }
      return rowsBefore(store, stream, toIso(around.startMs), toIso(around.endMs))
        .filter(({ status }) => status === 'proven')
        .map(({ startMs, endMs }) => ({
          startMs: Math.max(startMs, around.startMs),
          endMs: Math.min(endMs, around.endMs),
        }))
    },
    noteLateness({ store, stream, readAt }, { records, oldestMs }) {
      if (oldestMs !== null)
        note.run({
          store,
          stream,
          day: readAt.slice(0, 10),
          lateMs: fromIso(readAt) - oldestMs,
          records,
        })
    },
    closeCounts,
    closeReading(window, batch, counts) {
      closeCounts(`${window.stream} ${window.window.start}`, batch, counts)
      recordInLedger(window)
      const found = window.findings.map(({ code, path, detail }) => ({
        id: [window.store, window.stream, code, ...(path === undefined ? [] : [path])].join('/'),
        code,
        detail,
      }))
      for (const finding of found)
        find.run({ ...finding, store: window.store, stream: window.stream, readAt: window.readAt })
      return found.map(({ id }) => id)
    },
  }
}
