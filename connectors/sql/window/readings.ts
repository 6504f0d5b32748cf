import { DatabaseError } from '../../../errors.ts'
import type { WindowCounts, WindowToCommit } from '../../destination/windows.ts'
import type { Schema } from '../schema.ts'
import { first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'

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
