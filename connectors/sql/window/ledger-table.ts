import { DAY_MS, fromIso, toIso } from '../../../calendar/days.ts'
import type { Interval } from '../../../calendar/days.ts'
import { DatabaseError } from '../../../errors.ts'
import { plausibleRows, recordWindow } from '../../destination/coverage.ts'
import type { LedgerRow } from '../../destination/coverage.ts'
import type { WindowCounts, WindowToCommit } from '../../destination/windows.ts'
import type { Schema } from '../schema.ts'
import { all, first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** Writes the table `windows`, the ledger, inside the transaction of the rows (INV-2). */
export interface LedgerTable {
  /**
   * Records what a reading says of its window; `recordWindow` decides which rows of the ledger
   * remain.
   */
  record(window: WindowToCommit): Steps<void>
  /** What was proven earlier, in the window and close to it: what comes into that now came late. */
  provenAround(window: Pick<WindowToCommit, 'store' | 'stream' | 'window'>): Steps<Interval[]>
}

/** Readings by calendar days hold rows of their neighbours, up to two days away. */
const AROUND_MS = 2 * DAY_MS

type StoredWindow = Pick<Schema['windows'], 'window_start' | 'window_end' | 'status' | 'evidence'>

export const asLedgerRow = (row: StoredWindow): LedgerRow => ({
  startMs: fromIso(row.window_start),
  endMs: fromIso(row.window_end),
  status: row.status,
  evidence: row.evidence,
})

const OF_STREAM = 'store_id = @store AND stream = @stream'
const SELECT = `SELECT window_start, window_end, status, evidence FROM windows WHERE ${OF_STREAM}`
const TOUCHING = 'window_start < @end AND window_end > @start'

export function createLedgerTable(now: () => number = Date.now): LedgerTable {
  const forgetImplausible = createImplausibleRemover(now)
  return {
    *record({ store, stream, window: { start, end }, status, evidence, readAt }) {
      yield* forgetImplausible(store, stream)
      const read: LedgerRow = {
        startMs: fromIso(start),
        endMs: fromIso(end),
        status,
        evidence: JSON.stringify({ ...evidence, readAt }),
      }
      const place = { store, stream, start, end }
      const before = yield* all<StoredWindow>(`${SELECT} AND ${TOUCHING}`, place)
      yield* run(`DELETE FROM windows WHERE ${OF_STREAM} AND ${TOUCHING}`, place)
      for (const row of recordWindow(before.map(asLedgerRow), read)) yield* insert(place, row)
    },
    *provenAround({ store, stream, window }) {
      const startMs = fromIso(window.start) - AROUND_MS
      const endMs = fromIso(window.end) + AROUND_MS
      const around = { store, stream, start: toIso(startMs), end: toIso(endMs) }
      return (yield* all<StoredWindow>(`${SELECT} AND ${TOUCHING}`, around))
        .map(asLedgerRow)
        .filter(row => row.status === 'proven')
        .map(row => ({
          startMs: Math.max(row.startMs, startMs),
          endMs: Math.min(row.endMs, endMs),
        }))
    },
  }
}

const insert = (
  { store, stream }: { store: string; stream: string },
  { startMs, endMs, status, evidence }: LedgerRow,
): Steps<number> =>
  run(
    `INSERT INTO windows (store_id, stream, window_start, window_end, status, evidence)
     VALUES (@store, @stream, @start, @end, @status, @evidence)`,
    { store, stream, start: toIso(startMs), end: toIso(endMs), status, evidence },
  )

/**
 * Takes away for good what was written while the clock was ahead: rows of hours that nobody has
 * read would be believed once those hours have come (INV-1). Looked for at the first record of a
 * stream and whenever the clock has gone back, since no others can bring such rows.
 */
function createImplausibleRemover(
  now: () => number,
): (store: string, stream: string) => Steps<void> {
  const seenMs = new Map<string, number>()
  return function* (store, stream) {
    const nowMs = now()
    const key = JSON.stringify([store, stream])
    if (nowMs >= (seenMs.get(key) ?? Infinity)) return void seenMs.set(key, nowMs)
    const rows = (yield* all<StoredWindow>(SELECT, { store, stream })).map(asLedgerRow)
    const plausible = new Set(plausibleRows(rows, nowMs))
    const others = rows.filter(row => !plausible.has(row))
    for (const { startMs, endMs } of others)
      yield* run(
        `DELETE FROM windows WHERE ${OF_STREAM} AND window_start = @start AND window_end = @end`,
        { store, stream, start: toIso(startMs), end: toIso(endMs) },
      )
    // What was removed may come back with the transaction, so the next record looks again.
    if (others.length === 0) seenMs.set(key, nowMs)
  }
}

/** Whose rows are merged, and the number of the reading that brought them. */
export interface Batch {
  store: string
  batch: number
  /** The last reading that its records are certainly newer than; undefined: than all. */
  since?: number | undefined
}

/** A reading of a window, or of dead letters that are merged again. */
export interface ReadingToOpen extends Pick<
  WindowToCommit,
  'store' | 'stream' | 'window' | 'readAt'
> {
  status: Schema['readings']['status']
}

/**
 * An attempt that was given up, of a machine that slept for an hour, say, is still at work: fails
 * with WINDOW_TAKEN_OVER where another one has committed the window since this one began.
 */
export function* refuseTakenOver(read: WindowToCommit): Steps<void> {
  const { store, stream, window, since, byId } = read
  // Single records are no window, and pages without `since` are newer than everything.
  if (byId === true || since === undefined) return
  const later = yield* first(
    `SELECT 1 AS one FROM readings
     WHERE store_id = @store AND stream = @stream AND batch > @since
       AND window_start = @start AND window_end = @end AND status <> 'looked_up' LIMIT 1`,
    { store, stream, since, ...window },
  )
  if (later === undefined) return
  throw new DatabaseError(
    'WINDOW_TAKEN_OVER',
    `${store} ${stream} ${window.start} was read by another attempt while this one read it`,
    { remedy: 'It is read once more by itself. What the other one has read is in the tables.' },
  )
}

/**
 * Writes the table `readings`, every window that was read with its counts: answers the batch number
 * of this one, which rows that it touches carry.
 */
export function* openReading(reading: ReadingToOpen): Steps<number> {
  const { store, stream, window, status, readAt } = reading
  const opened = yield* first<{ batch: number }>(
    `INSERT INTO readings (store_id, stream, window_start, window_end, status, counts, read_at)
     VALUES (@store, @stream, @start, @end, @status, '{}', @readAt) RETURNING batch`,
    { store, stream, ...window, status, readAt },
  )
  return opened!.batch
}

/**
 * Checks that the counts add up (INV-3), and stores them with the reading. `what` names the reading
 * in an error.
 */
export function* closeReading(what: string, batch: number, counts: WindowCounts): Steps<void> {
  const stored =
    counts.inserted + counts.updated + counts.unchanged + counts.duplicate + counts.deadLettered
  if (stored !== counts.fetched) {
    throw new DatabaseError(
      'COUNTS_DIFFER',
      `${what}: fetched ${counts.fetched} rows, but they add up to ${stored} ` +
        `(${JSON.stringify(counts)}); nothing of the window was kept`,
    )
  }
  yield* run('UPDATE readings SET counts = @counts WHERE batch = @batch', {
    counts: JSON.stringify(counts),
    batch,
  })
}

export const noCounts = (fetched: number): WindowCounts => ({
  fetched,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  duplicate: 0,
  deadLettered: 0,
})
