import type { WindowToCommit } from '../../destination/windows.ts'
import { UNFIT_ROWS } from '../../staged/staged-tables.ts'
import { run } from '../steps.ts'
import type { Steps } from '../steps.ts'

const SAVE = `
  INSERT INTO dead_letters
    (store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at)
  SELECT @store, @stream, s.record_key, s.reason, s.raw, @start, @end, @readAt
  FROM (
    SELECT record_key, reason, raw,
      row_number() OVER (PARTITION BY record_key ORDER BY rowid DESC) AS place
    FROM ${UNFIT_ROWS}
  ) s
  WHERE s.place = 1 AND NOT EXISTS (
    SELECT 1 FROM discarded_letters d
    WHERE d.store_id = @store AND d.stream = @stream
      AND d.record_key = s.record_key AND d.raw = s.raw
  )
  ON CONFLICT (store_id, stream, record_key) DO UPDATE SET
    reason = excluded.reason,
    raw = excluded.raw,
    window_start = CASE WHEN dead_letters.raw = excluded.raw
      THEN dead_letters.window_start ELSE excluded.window_start END,
    window_end = CASE WHEN dead_letters.raw = excluded.raw
      THEN dead_letters.window_end ELSE excluded.window_end END`

/**
 * Makes dead letters of a window's unfit records, but for those of which a person has given this
 * very state up; call while its rows are there. Of several with one key the last counts.
 */
export function* saveUnfit({
  store,
  stream,
  window,
  readAt,
}: Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'readAt'>): Steps<void> {
  yield* run(SAVE, { store, stream, ...window, readAt })
}
