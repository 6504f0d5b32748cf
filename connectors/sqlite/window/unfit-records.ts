import type Database from 'better-sqlite3'
import type { WindowToCommit } from '../../destination/windows.ts'
import { UNFIT_ROWS } from '../pages/bulk-rows.ts'
import type { Merger } from './merge.ts'

type Place = Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'readAt'>

/**
 * Makes dead letters of a window's unfit records; call inside a transaction, while its rows are
 * there (`BulkRows.during`).
 */
export interface UnfitRecords {
  /** Keeps them aside, but for those of which a person has given this very state up. */
  save(place: Place): void
  /** Records that came again and fit this time are dead letters no more. */
  resolve(place: Pick<Place, 'store' | 'stream'>, merger: Pick<Merger, 'keys'>): void
}

const SAVE = `
  INSERT INTO dead_letters
    (store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at)
  SELECT @store, @stream, s.record_key, s.reason, s.raw, @start, @end, @readAt
  FROM ${UNFIT_ROWS} s
  WHERE NOT EXISTS (
    SELECT 1 FROM discarded_letters d
    WHERE d.store_id = @store AND d.stream = @stream
      AND d.record_key = s.record_key AND d.raw = s.raw
  )
  ON CONFLICT DO UPDATE SET
    reason = excluded.reason,
    raw = excluded.raw,
    window_start = iif(raw = excluded.raw, window_start, excluded.window_start),
    window_end = iif(raw = excluded.raw, window_end, excluded.window_end)`

export function createUnfitRecords(database: Database.Database): UnfitRecords {
  const save = database.prepare(SAVE)
  const any = database.prepare(
    'SELECT 1 FROM dead_letters WHERE store_id = ? AND stream = ? LIMIT 1',
  )
  const resolve = database.prepare(
    `DELETE FROM dead_letters
     WHERE store_id = @store AND stream = @stream
       AND record_key IN (SELECT value FROM json_each(@keys))`,
  )
  return {
    save: ({ store, stream, window: { start, end }, readAt }) =>
      void save.run({ store, stream, start, end, readAt }),
    resolve({ store, stream }, merger) {
      if (any.get(store, stream) === undefined) return
      resolve.run({ store, stream, keys: JSON.stringify(merger.keys()) })
    },
  }
}
