import type { LettersChosen, LettersToDiscard } from '../../destination/dead-letters.ts'
import { all, run } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** A dead letter that is to be merged again. */
export interface KeptRecord {
  key: string
  raw: string
  start: string
  end: string
}

/** Writes the tables `dead_letters` and `discarded_letters`, inside a transaction. */
export interface LettersTable {
  kept(chosen: LettersChosen): Steps<KeptRecord[]>
  remove(chosen: LettersChosen): Steps<number>
  /** Moves them to `discarded_letters`, with who, when and why; answers how many. */
  discard(letters: LettersToDiscard): Steps<number>
}

export function createLettersTable(): LettersTable {
  const choice = ({ store, stream, keys }: LettersChosen): object => ({
    store,
    stream,
    keys: JSON.stringify(keys),
  })
  const remove = (letters: LettersChosen): Steps<number> =>
    run(`DELETE FROM dead_letters WHERE ${CHOSEN}`, choice(letters))
  return {
    kept: letters =>
      all<KeptRecord>(
        `SELECT record_key AS key, raw, window_start AS start, window_end AS "end"
         FROM dead_letters WHERE ${CHOSEN} ORDER BY record_key`,
        choice(letters),
      ),
    remove,
    *discard(letters) {
      const { at, by, reason } = letters
      yield* run(`${DISCARD} ${CHOSEN}`, { ...choice(letters), at, by, reason })
      return yield* remove(letters)
    },
  }
}

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
