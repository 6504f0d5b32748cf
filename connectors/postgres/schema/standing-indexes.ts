import { INDEXES_OF_STANDING } from '../../sql/standing-indexes.ts'
import { TEXT } from './bookkeeping.ts'

/** Times of a window as numbers. Only functions that are IMMUTABLE may make a column of another. */
export const STANDING_INDEXES = [
  `CREATE FUNCTION instant_ms(iso text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
   'SELECT (extract(epoch FROM iso::timestamptz) * 1000)::bigint'`,
  `ALTER TABLE windows
   ADD start_ms bigint GENERATED ALWAYS AS (instant_ms(window_start)) STORED,
   ADD end_ms bigint GENERATED ALWAYS AS (instant_ms(window_end)) STORED,
   ADD read_at ${TEXT} GENERATED ALWAYS AS (evidence ->> 'readAt') STORED`,
  ...INDEXES_OF_STANDING,
]
