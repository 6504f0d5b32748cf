import type { LettersChosen, LettersToDiscard } from '../../destination/dead-letters.ts'
import type { WindowToCommit } from '../../destination/windows.ts'
import { UNFIT_ROWS } from '../../staged/stage-records.ts'
import { all, run } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** A dead letter that is to be merged again. */
export interface KeptRecord {
  key: string
  raw: string
  start: string
  end: string
}

/** Dead letters that somebody has chosen, by their keys. */
export const keptLetters = (chosen: LettersChosen): Steps<KeptRecord[]> =>
  all<KeptRecord>(
    `SELECT record_key AS key, raw, window_start AS start, window_end AS "end"
     FROM dead_letters WHERE ${CHOSEN} ORDER BY record_key`,
    choice(chosen),
  )

export const removeLetters = (chosen: LettersChosen): Steps<number> =>
  run(`DELETE FROM dead_letters WHERE ${CHOSEN}`, choice(chosen))

/** Moves them to `discarded_letters`, with who, when and why; answers how many. */
export function* discardLetters(letters: LettersToDiscard): Steps<number> {
  const { at, by, reason } = letters
  yield* run(`${DISCARD} ${CHOSEN}`, { ...choice(letters), at, by, reason })
  return yield* removeLetters(letters)
}

const choice = ({ store, stream, keys }: LettersChosen): object => ({
  store,
  stream,
  keys: JSON.stringify(keys),
})

const CHOSEN = `
    store_id = @store AND stream = @stream
    AND record_key IN (SELECT value FROM json_each(@keys))`

const DISCARD = `
  INSERT INTO discarded_letters (
    store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at,
    discarded_at, discarded_by, discard_reason
  )
  SELECT
    store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at,
    @at, @by, @reason
  FROM dead_letters WHERE`

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
